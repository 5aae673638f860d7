import CommandSyntax
import Evaluation
import Foundation
import Records
import Reporting

/// The rendered files of a run.
enum RunReports {
  /// Renders a finished evaluation, gives it its name, prints it and says what its gates mean.
  static func finish(
    _ finished: Evaluation.Finished, run: String, asJSON: Bool, inconclusive: InconclusiveGates
  ) throws -> ExitStatus {
    try finished.folder.commit { try write(finished.record, into: finished.folder) }
    StepSummary.append(Report(record: finished.record).summaryMarkdown())
    if asJSON {
      try StandardOutput.writeJSON(String(decoding: try finished.record.json(), as: UTF8.self))
    } else {
      try StandardOutput.write(RunSummary.text(finished.record, run: run))
    }
    return ExitStatus(finished.record.gates, inconclusive: inconclusive)
  }

  /// Renders all reports of a record into an unfinished run.
  static func write(_ record: Record, into folder: RunFolder) throws {
    let report = Report(record: record)
    let frames = try FrameReading(of: folder.partial).map { try archive(of: $0) }
    let html = report.html(images: { image($0, in: folder) }, frames: frames)
    try folder.write(Array(html.utf8), to: "report.html")
    try folder.write(Array(report.markdown().utf8), to: "report.md")
    try folder.write(Array(report.junit().utf8), to: "junit.xml")
  }

  /// Renders a document as HTML and Markdown into an unfinished folder.
  static func write(_ document: ReportDocument, into folder: RunFolder) throws(EvaluationError) {
    let html = document.html { image($0, in: folder) }
    try folder.write(Array(html.utf8), to: "report.html")
    try folder.write(Array(document.markdown().utf8), to: "report.md")
  }

  private static func image(_ file: String, in folder: RunFolder) -> [UInt8]? {
    (try? Data(contentsOf: folder.images.appendingPathComponent(file))).map { [UInt8]($0) }
  }

  /// What the frame explorer of a report shows, within a budget of bytes.
  static func archive(
    of reading: FrameReading, budget: Int = FrameArchive.defaultBudget, withImages: Bool = true
  ) throws -> [UInt8] {
    var archive = FrameArchive()
    try reading.read { facts in archive.add(FrameEntry(facts), video: facts.video) }
    return try archive.encoded(budget: budget) { bytesLeft in
      guard withImages else { return [] }
      // About 6 kB an image: more than fit are not decoded.
      let order = archive.imageOrder(limit: bytesLeft / 6000)
      return try reading.thumbnails(of: order, bytes: bytesLeft)
        .map { FrameThumbnail(frame: $0.frame, jpeg: $0.jpeg) }
    }
  }
}

extension FrameEntry {
  /// What a report shows of a frame.
  fileprivate init(_ facts: FrameReading.Facts) {
    self.init(frame: facts.frame, labels: facts.labels, prediction: facts.prediction)
    missed = facts.missed
    unmatched = facts.unmatched
    falseDetections = facts.falseDetections
    errorCount = facts.errorCount
    errors = facts.errors
    ranked = facts.rankedScores.map { Detection(score: $0, isTrue: nil) }
    kept = facts.kept.map { $0.map { Detection(score: $0.score, isTrue: $0.isTrue) } }
    labelledCount = facts.labelledCount
    milliseconds = facts.milliseconds
    slices = facts.slices
  }
}
