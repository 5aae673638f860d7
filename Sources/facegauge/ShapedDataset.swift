import CommandSyntax
import Datasets
import Foundation

/// A dataset made from others: its writer, its progress and its messages.
enum ShapedDataset {
  /// Starts the output; source and licence come from the input datasets.
  static func writer(
    _ output: String, of readers: [DatasetReader], name: String?, replacing: Bool
  ) throws -> DatasetWriter {
    let url = URL(fileURLWithPath: output)
    func joined(_ key: String) -> String? {
      var values: [String] = []
      for case let value? in readers.map({ $0.provenance.first { $0.name == key }?.value })
      where !values.contains(value) {
        values.append(value)
      }
      return values.isEmpty ? nil : values.joined(separator: "; ")
    }
    return try DatasetWriter(
      url,
      name: name ?? (readers.count == 1 ? readers[0].name : nil)
        ?? url.deletingPathExtension().lastPathComponent,
      source: joined("source"), licence: joined("licence"),
      isLabelled: readers.allSatisfy(\.isLabelled), replacing: replacing)
  }

  /// Does the work with a progress bar and finishes the file; throws for losses when strict.
  static func make<Summary>(
    _ title: String, steps: Int, writer: DatasetWriter,
    _ work: (_ advance: (Int) -> Void, _ isInterrupted: () -> Bool) throws -> Summary,
    accept: (Summary) throws -> Void
  ) throws -> Summary {
    let bar = ProgressBar(title, total: steps, unit: "frames")
    let summary = try stopping {
      try work({ bar.advance(by: $0) }, { Interruption.isRequested })
    }
    try accept(summary)
    try writer.finish()
    bar.finish()
    return summary
  }

  /// Prints what was assumed and what was left out.
  static func tell(_ remarks: [ImportRemark]) {
    for remark in remarks.grouped {
      if remark.isLoss {
        Diagnostics.standardError.warning(remark.text)
      } else {
        Diagnostics.standardError.note(remark.text)
      }
    }
  }

  /// Prints what was written.
  static func tell(_ output: String, _ writer: DatasetWriter) {
    Diagnostics.standardError.print(
      "\(output): \(writer.frameCount) frames, \(writer.faceCount) faces")
  }
}
