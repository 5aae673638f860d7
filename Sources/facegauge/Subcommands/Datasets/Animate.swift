import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "A dataset with labelled faces.")
  private static let output = madeDataset("clips.h5", help: "The dataset of clips to write.")
  private static let motions = Option(
    repeating: "motion", valueName: "name", .choice(Motion.self),
    help: "Motion to make clips with; may be repeated. Without any, all motions.")
  private static let frames = framesPerClip(default: 30)
  private static let people = Option(
    "people", valueName: "n", .integer(in: 1...100_000), otherwise: "the faces as they are",
    help: "Number of synthetic people to make from the faces, each with one clip.")

  /// `facegauge animate`.
  static let animate = Command(
    CommandDeclaration(
      "animate", abstract: "Make clips with exactly known motion from labelled images",
      discussion: """
          facegauge animate faces.h5 --motion pan --motion zoom -o clips.h5

        Each image with a labelled face becomes one clip per motion: still, pan, zoom, roll, \
        brightness, blur, bar (an opaque bar passes in front of the face) and leave (the face \
        leaves and returns). Boxes and points follow the motion exactly. Points that leave the \
        frame or are covered become occluded. A face with less than half of its box in the frame \
        is marked to be ignored; with less than a tenth it has no label.

        --people makes people from the images in turn: each has a random shape of the face, light \
        and color, and one of the motions. Shapes differ as the points of 60 real faces do, and \
        the labels follow them exactly. Skin, hair and expression stay those of the image, so \
        intervals over such people tell how certain a number is for them, not for real people.
        """,
      arguments: [dataset], options: [output, motions, people, seed, frames, clipRate, side, force])
  ) { arguments in
    try arguments.require(people, for: seed)
    let source = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let target = URL(fileURLWithPath: arguments[output])
    let chosen = arguments[motions].isEmpty ? Motion.allCases : arguments[motions]
    let maker = ClipMaker(
      motions: chosen, framesPerClip: arguments[frames], framesPerSecond: arguments[clipRate],
      longestSide: arguments[side], people: arguments[people], seed: UInt64(arguments[seed]))
    let writer = try DatasetWriter(
      target, name: "\(source.name) clips", source: "facegauge animate of \(source.name)",
      replacing: arguments[force])
    var bar: ProgressBar?
    let summary = try stopping {
      try maker.run(
        over: source, into: writer,
        begin: { bar = ProgressBar("Animating", total: $0, unit: "frames") },
        advance: { bar?.advance(by: $0) },
        isInterrupted: { Interruption.isRequested })
    }
    guard summary.clips > 0 else {
      throw CommandFailure(
        .wrongData,
        "cannot animate \(arguments[dataset]): expected an image with a labelled face, found none")
    }
    try writer.finish()
    bar?.finish()
    ShapedDataset.warn(summary.withoutFace, "images without a labelled face left out")
    ShapedDataset.warn(summary.withoutImage, "frames without an image left out")
    ShapedDataset.warn(summary.unused, "images left out: fewer people than images with a face")
    ShapedDataset.tell(summary.remarks)
    ShapedDataset.warn(
      summary.withoutPose, "labelled head poses left out: the image moves under them")
    Diagnostics.standardError.print(
      "\(arguments[output]): \(summary.clips) clips, \(writer.frameCount) frames, "
        + "\(writer.faceCount) faces")
    return .success
  }
}
