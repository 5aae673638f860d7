import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5"]), help: "A dataset with labelled faces.")
  private static let output = Option(
    required: "output", short: "o", valueName: "clips.h5", .path(extensions: ["h5"]),
    help: "The dataset of clips to write.")
  private static let motions = Option(
    repeating: "motion", valueName: "name", .choice(Motion.self),
    help: "Motion to make clips with; may be repeated. Without any, all motions.")
  private static let frames = Option(
    "frames-per-clip", valueName: "n", .integer(in: 2...100_000), default: 30,
    help: "Length of a clip, in frames.")
  private static let rate = Option(
    "fps", valueName: "rate", .number(in: 0.001...1000), default: 30,
    help: "Frame rate of the timestamps, in frames per second.")

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
        """,
      arguments: [dataset], options: [output, motions, frames, rate, side, force])
  ) { arguments in
    let source = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let target = URL(fileURLWithPath: arguments[output])
    let chosen = arguments[motions].isEmpty ? Motion.allCases : arguments[motions]
    let maker = ClipMaker(
      motions: chosen, framesPerClip: arguments[frames], framesPerSecond: arguments[rate],
      longestSide: arguments[side])
    let writer = try DatasetWriter(
      target, name: "\(source.name) clips", source: "facegauge animate of \(source.name)",
      replacing: arguments[force])
    let bar = ProgressBar(
      "Animating", total: source.frameCount * chosen.count * arguments[frames], unit: "frames")
    let summary = try stopping {
      try maker.run(
        over: source, into: writer, advance: { bar.advance(by: $0) },
        isInterrupted: { Interruption.isRequested })
    }
    guard summary.clips > 0 else {
      throw CommandFailure(
        .wrongData,
        "cannot animate \(arguments[dataset]): expected an image with a labelled face, found none")
    }
    try writer.finish()
    bar.finish()
    if summary.withoutFace > 0 {
      Diagnostics.standardError.warning(
        "\(summary.withoutFace) images without a labelled face left out")
    }
    if summary.withoutImage > 0 {
      Diagnostics.standardError.warning(
        "\(summary.withoutImage) frames without an image left out")
    }
    ShapedDataset.tell(summary.remarks)
    if summary.withoutPose > 0 {
      Diagnostics.standardError.warning(
        "\(summary.withoutPose) labelled head poses left out: the image moves under them")
    }
    Diagnostics.standardError.print(
      "\(arguments[output]): \(summary.clips) clips, \(writer.frameCount) frames, "
        + "\(writer.faceCount) faces")
    return .success
  }
}
