import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let dataset = datasetArgument("A dataset with labelled faces.")
  private static let output = madeDataset(
    "suite.h5", help: "The dataset of clean and degraded images to write.")
  private static let names = chosen(
    Degradations.all.map(\.name), help: "Degradations to make.")

  /// The catalogue, one line per degradation: name, values of the severities, quantity.
  private static var catalogue: String {
    Degradations.all.map { degradation in
      let name = "  \(degradation.name)".padding(toLength: 14, withPad: " ", startingAt: 0)
      let values = degradation.valuesText.padding(toLength: 30, withPad: " ", startingAt: 0)
      return name + values + degradation.quantity
    }.joined(separator: "\n")
  }

  /// `facegauge degrade`.
  static let degrade = Command(
    CommandDeclaration(
      "degrade", abstract: "Make images worse in known steps, to find where a tracker breaks",
      discussion: """
          facegauge degrade faces.h5 --by blur,dark,occluder -o suite.h5
          facegauge evaluate suite.h5 -o run --gates gates.json

        The suite has each image clean, and in five severities of each degradation:

        \(catalogue)

        Quantities in parts of a face refer to the largest labelled face of the image, of a video \
        to that of its first frame with one. Its interocular distance is that of the labelled \
        outer eye corners, and at least half of the root of its box's area. An image whose face \
        is as small already is not reduced by 'resolution'.

        All labels are carried along: crop and resolution move them with the pixels, points that \
        are covered or cut off become occluded, and a face with less than half of its box in the \
        image is marked to be ignored. Images without a labelled face are left out.

        The attribute severity.NAME of a frame is its severity, 0 for a clean image. 'evaluate' \
        makes slices of it, such as severity.blur=3, and its report draws each headline metric over \
        the severities and shows at which of them a gate's limit is broken.
        """,
      arguments: [dataset], options: [output, names, seed, side, force])
  ) { arguments in
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let chosen = arguments[names]
    let suite = DegradationSuite(
      degradations: Degradations.all.filter { chosen?.contains($0.name) ?? true },
      seed: UInt64(arguments[seed]), longestSide: arguments[side])
    let writer = try DatasetWriter(
      URL(fileURLWithPath: arguments[output]), name: "\(reader.name) degraded",
      source: "facegauge degrade of \(reader.name), seed \(arguments[seed])",
      licence: reader.provenance.first { $0.name == "licence" }?.value,
      isLabelled: reader.isLabelled, replacing: arguments[force])
    let summary = try ShapedDataset.make(
      "Degrading", steps: reader.frameCount * suite.framesPerSource, writer: writer
    ) { advance, isInterrupted in
      try suite.run(over: reader, into: writer, advance: advance, isInterrupted: isInterrupted)
    } accept: { summary in
      guard summary.sources > 0 else {
        throw CommandFailure(
          .wrongData,
          "cannot degrade \(arguments[dataset]): expected an image with a labelled face, found none"
        )
      }
    }
    ShapedDataset.tell(summary.remarks)
    ShapedDataset.warn(
      summary.withoutFace, "frames of stills or videos without a labelled face left out")
    ShapedDataset.warn(summary.withoutImage, "frames without an image left out")
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
