import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let dataset = datasetArgument("The dataset with repeated images.")
  private static let output = madeDataset()

  /// `facegauge merge-faces`.
  static let mergeFaces = Command(
    CommandDeclaration(
      "merge-faces", abstract: "Merge frames with the same image into one frame with all faces",
      discussion: """
          facegauge merge-faces afw.h5 -o joined.h5

        Some datasets, such as AFW in 300-W, repeat an image for each labelled face in it. Each \
        frame then lacks the labels of the other faces, which count as false positives or are \
        matched instead of the labelled one. Stills whose images have the same bytes are merged \
        into the first of them, with the faces of all; faces with the same labels count once. \
        Splits keep their frames.
        """,
      arguments: [dataset], options: [output, force])
  ) { arguments in
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let writer = try ShapedDataset.writer(
      arguments[output], of: [reader], replacing: arguments[force])
    let summary = try ShapedDataset.make("Joining", steps: reader.frameCount, writer: writer) {
      try FaceMerge(of: reader).run(into: writer, advance: $0, isInterrupted: $1)
    }
    ShapedDataset.tell(summary.remarks)
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
