import Evaluation
import Foundation
import Records
import Reporting

/// The rendered files of a run.
enum RunReports {
  /// Renders all reports of a record into an unfinished run.
  static func write(_ record: Record, into folder: RunFolder) throws(EvaluationError) {
    let report = Report(record: record)
    try write(report.document, into: folder)
    try folder.write(Array(report.junit().utf8), to: "junit.xml")
  }

  /// Renders a document as HTML and Markdown into an unfinished folder.
  static func write(_ document: ReportDocument, into folder: RunFolder) throws(EvaluationError) {
    let html = document.html { file in
      (try? Data(contentsOf: folder.images.appendingPathComponent(file))).map { [UInt8]($0) }
    }
    try folder.write(Array(html.utf8), to: "report.html")
    try folder.write(Array(document.markdown().utf8), to: "report.md")
  }
}
