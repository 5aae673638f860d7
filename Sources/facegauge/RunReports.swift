import Calibration
import CommandSyntax
import Foundation
import Platform
import Records
import Reporting
import Running
import Scoring
import Tuning

/// The rendered files of a run.
enum RunReports {
  /// Renders a finished evaluation, gives it its name, prints it and says what its gates mean.
  static func finish(
    _ finished: Evaluation.Finished, _ arguments: ParsedArguments, run: String,
    inconclusive: InconclusiveGates
  ) throws -> ExitStatus {
    try finished.folder.commit { try write(finished.record, into: finished.folder) }
    StepSummary.append(Report(record: finished.record).summaryMarkdown())
    try arguments.print(finished.record, text: RunSummary.text(finished.record, run: run))
    return ExitStatus(finished.record.gates, inconclusive: inconclusive)
  }

  /// Renders all reports of a record into an unfinished run.
  static func write(_ record: Record, into folder: RunFolder) throws {
    FreedMemory.release()
    let report = Report(record: record)
    let frames = try FrameReading(of: folder.partial).map { try archive(of: $0) }
    let thumbnails =
      record.sweep == nil
      ? []
      : try FrameReading.thumbnails(
        ofSweep: folder.partial, bytes: FrameArchive.imageBytes(in: FrameArchive.defaultBudget))
    let html = report.html(
      images: { image($0, in: folder) }, frames: frames, thumbnails: thumbnails,
      code: code(of: record))
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

  /// Renders a comparison with the frames of both runs into an unfinished folder.
  static func write(
    _ report: ComparisonReport, of runs: FramePairReading, into folder: RunFolder,
    withImages: Bool
  ) throws {
    let frames = try archives(of: runs, withImages: withImages)
    let html = report.html(images: { image($0, in: folder) }, frames: frames)
    try folder.write(Array(html.utf8), to: "report.html")
    try folder.write(Array(report.document.markdown().utf8), to: "report.md")
  }

  private static func image(_ file: String, in folder: RunFolder) -> [UInt8]? {
    try? InputFile.bytes(of: folder.images.appendingPathComponent(file))
  }

  /// What can be copied of each setting of a sweep; nil for other records.
  static func code(of record: Record) -> SettingCode? {
    guard let sweep = record.sweep else { return nil }
    let languages = SettingsLanguage.allCases
    let reader = SweptSettings.Reader(record, source: "the sweep")
    return SettingCode(
      in: languages.map { .init(name: $0.rawValue, title: $0.title) },
      settings: sweep.settings.count
    ) { setting in
      let settings = Result<CalibrationFile, any Error> { try reader.calibration(setting) }
      return languages.map { language in
        settings.flatMap { file in Result { try file.source(in: language) } }
      }
    }
  }

  /// What the frame explorer of a report shows, within a budget of bytes.
  static func archive(
    of reading: FrameReading, budget: Int = FrameArchive.defaultBudget, withImages: Bool = true
  ) throws -> [UInt8] {
    var archive = FrameArchive(budget: budget)
    archive.frameCount = reading.frameCount
    try reading.read {
      archive.add($0)
      return !archive.isFull
    }
    return try archive.encoded { bytesLeft in
      guard withImages else { return [] }
      return try reading.thumbnails(of: archive.imageOrder(in: bytesLeft), bytes: bytesLeft)
    }
  }

  /// What the frame explorer shows of two runs, in one budget; the candidate's has the images.
  private static func archives(
    of runs: FramePairReading, withImages: Bool
  ) throws -> (base: [UInt8], candidate: [UInt8]) {
    let budget = FrameArchive.defaultBudget / 2
    var base = FrameArchive(budget: budget, run: runs.names[0])
    var candidate = FrameArchive(budget: budget, run: runs.names[1])
    (base.frameCount, candidate.frameCount) = (runs.frameCount, runs.frameCount)
    try runs.read { own, other in
      base.add(own)
      candidate.add(other, against: own)
      return !base.isFull
    }
    let encoded = try candidate.encoded { bytesLeft in
      guard withImages else { return [] }
      return try runs.thumbnails(of: candidate.imageOrder(in: bytesLeft), bytes: bytesLeft)
    }
    return (try base.encoded(), encoded)
  }
}
