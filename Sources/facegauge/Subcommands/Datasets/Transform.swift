import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let dataset = datasetArgument("A dataset with images; labels are not needed.")
  private static let output = madeDataset(
    "suite.h5", help: "The dataset of originals and transformed images to write.")
  private static let names = chosen(
    ImageTransformation.allCases.map(\.rawValue), help: "Transformations to make.")

  private static var catalogue: String {
    ImageTransformation.allCases.map { one in
      "  \(one.rawValue)".padding(toLength: 12, withPad: " ", startingAt: 0) + one.summary
    }.joined(separator: "\n")
  }

  /// `facegauge transform`.
  static let transform = Command(
    CommandDeclaration(
      "transform", abstract: "Mirror, turn and move images, to find what a tracker depends on",
      discussion: """
          facegauge transform faces.h5 -o suite.h5
          facegauge evaluate suite.h5 -o run
          facegauge equivariance run -o equivariance

        The suite has each image as it is, and transformed in ways that move a face and leave it \
        as it is otherwise. No labels are needed and none are written: 'equivariance' compares \
        what a tracker finds in a transformed image with what it finds in the original.

        \(catalogue)

        All but 'scale' and 'shift' are exact to the bit, and images are stored as PNG. Frames of \
        videos become stills of one subject. The attribute transform.NAME of a frame is 1 where NAME \
        transformed it; an original has 0 for all.
        """,
      arguments: [dataset], options: [output, names, side, force])
  ) { arguments in
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let chosen = arguments[names]
    let suite = TransformationSuite(
      transformations: ImageTransformation.allCases.filter {
        chosen?.contains($0.rawValue) ?? true
      }, longestSide: arguments[side])
    let writer = try DatasetWriter(
      URL(fileURLWithPath: arguments[output]), name: "\(reader.name) transformed",
      source: "facegauge transform of \(reader.name)",
      licence: reader.provenance.first { $0.name == "licence" }?.value, isLabelled: false,
      replacing: arguments[force])
    let withoutImage = try ShapedDataset.make(
      "Transforming", steps: reader.frameCount * suite.framesPerSource, writer: writer
    ) { advance, isInterrupted in
      try suite.run(over: reader, into: writer, advance: advance, isInterrupted: isInterrupted)
    } accept: { withoutImage in
      guard withoutImage < reader.frameCount else {
        throw CommandFailure(
          .wrongData,
          "cannot transform \(arguments[dataset]): expected a frame with an image, found none")
      }
    }
    ShapedDataset.warn(withoutImage, "frames without an image left out")
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
