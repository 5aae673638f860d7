import CommandSyntax
import Datasets
import Foundation

extension Command {
  private static let format = Argument(
    "format", .choice(of: DatasetExporters.all.map(\.name)), help: "Format to write, see above.")
  private static let dataset = Argument(
    "dataset.h5", .path(extensions: ["h5", "json"]), help: "The dataset to write.")
  private static let output = Option(
    required: "output", short: "o", valueName: "folder", .directory,
    help: "Folder to create for the label file and the images.")
  private static let strict = Flag(
    "strict", help: "Fail before writing anything if the format cannot hold everything.")

  /// `facegauge export`.
  static let export = Command(
    CommandDeclaration(
      "export", abstract: "Write a dataset as labels of another format, with its images",
      discussion: "Formats:\n\n"
        + DatasetExporters.all.map { "  \($0.name)\n      \($0.summary)" }.joined(separator: "\n")
          + """


            facegauge export coco faces.h5 -o faces-coco

          Images keep their bytes, and their names if these are valid file names. Everything that \
          the format cannot hold is listed with counts.
          """,
      arguments: [format, dataset], options: [output, strict])
  ) { arguments in
    guard let exporter = DatasetExporters.named(arguments[format]) else {
      throw CommandFailure(.usage, "unknown format '\(arguments[format])'")
    }
    let reader = try DatasetReader(URL(fileURLWithPath: arguments[dataset]))
    let plan = DatasetExport(exporter, isStrict: arguments[strict])
    let bar = ProgressBar("Exporting", total: plan.stepCount(of: reader), unit: "frames")
    let summary = try stopping {
      try plan.run(
        over: reader, to: URL(fileURLWithPath: arguments[output]),
        advance: { bar.advance(by: $0) }, isInterrupted: { Interruption.isRequested })
    }
    bar.finish()
    for loss in summary.losses {
      Diagnostics.standardError.warning("left out: \(loss.what) (\(loss.count))")
    }
    Diagnostics.standardError.print(
      "\(arguments[output]): \(summary.images) images, \(summary.faces) faces")
    return .success
  }
}
