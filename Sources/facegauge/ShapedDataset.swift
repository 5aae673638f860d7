import CommandSyntax
import Datasets
import Foundation
import Records

/// A dataset made from others: its writer, its progress and its messages.
enum ShapedDataset {
  /// Starts the output; source and licence come from the input datasets.
  static func writer(
    _ output: String, of readers: [DatasetReader], name: String? = nil, replacing: Bool
  ) throws -> DatasetWriter {
    let url = URL(fileURLWithPath: output)
    func joined(_ key: String) -> String? {
      let values = readers.compactMap { $0.provenance.first { $0.name == key }?.value }.uniqued
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
    accept: (Summary) throws -> Void = { _ in }
  ) throws -> Summary {
    try countingFrames(title, of: steps) { advance, isInterrupted in
      let summary = try work(advance, isInterrupted)
      try accept(summary)
      try writer.finish()
      return summary
    }
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

  /// Warns of what was left out, if anything was.
  static func warn(_ count: Int, _ leftOut: String) {
    if count > 0 { Diagnostics.standardError.warning("\(count) \(leftOut)") }
  }

  /// Prints what was written.
  static func tell(_ output: String, _ writer: DatasetWriter) {
    Diagnostics.standardError.print(
      "\(output): \(writer.frameCount) frames, \(writer.faceCount) faces")
  }
}
