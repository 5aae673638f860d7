import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let datasets = Argument(
    repeating: "dataset.h5", .path(extensions: ["h5", "json"]),
    help: "The datasets, in this order.")
  private static let output = madeDataset()
  private static let samePeople = Flag(
    "same-people",
    help: "Treat identities and subjects of the same name as the same person in all datasets.")

  /// `facegauge merge`.
  static let merge = Command(
    CommandDeclaration(
      "merge", abstract: "Concatenate datasets",
      discussion: """
          facegauge merge dlib.h5 helen.h5 -o both.h5

        Landmark schemes and labels are combined, and splits of the same name are joined. Without \
        --same-people the identities of each dataset are numbered after those of the earlier ones, \
        and subjects of the same name get their dataset's file name as a prefix. Frames and \
        sequences keep their names; if an earlier dataset has one of them, all names of the later \
        dataset get its file name as a prefix. A labelled dataset cannot be merged with one \
        without labels. To use several files as one without merging, give a pattern: \
        'shards/*.h5'.
        """,
      arguments: [datasets], options: [output, datasetName, samePeople, force])
  ) { arguments in
    var readers: [DatasetReader] = []
    for path in arguments[datasets] {
      readers.append(try DatasetReader(URL(fileURLWithPath: path)))
    }
    let plan = try DatasetMerge(readers, sharesPeople: arguments[samePeople])
    let target = URL(fileURLWithPath: arguments[output])
    let writer = try ShapedDataset.writer(
      arguments[output], of: readers,
      name: arguments[datasetName] ?? target.deletingPathExtension().lastPathComponent,
      replacing: arguments[force])
    let remarks = try ShapedDataset.make("Merging", steps: plan.stepCount, writer: writer) {
      try plan.run(into: writer, advance: $0, isInterrupted: $1)
    }
    ShapedDataset.tell(remarks)
    ShapedDataset.tell(arguments[output], writer)
    return .success
  }
}
