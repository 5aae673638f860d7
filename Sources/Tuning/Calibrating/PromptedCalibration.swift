internal import Calibration
internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
internal import Running

/// Sessions of prompts, the drift between them, and what a reader must know.
struct PromptedCalibration {
  /// The sessions of the run.
  let sessions: [PromptedSession]
  /// Tables of prompts and drift.
  let tables: [Series]
  /// One sentence each.
  let notes: [String]

  /// Reads the file of prompts; throws where it names a video that the dataset does not have.
  static func schedule(_ url: URL, for dataset: DatasetReader) throws -> PromptSchedule {
    let schedule = try PromptSchedule(json: try InputFile.bytes(of: url), source: url.relativePath)
    let videos = dataset.sequences.filter { $0.kind == .video }.map(\.name)
    guard !videos.isEmpty else {
      throw EvaluationError.wrongData(
        "cannot follow the prompts of \(url.relativePath) in \(dataset.url.relativePath): expected "
          + "videos, found stills")
    }
    if let unknown = schedule.unknownVideos(among: videos).first {
      throw EvaluationError.wrongData(
        "cannot follow the prompts of \(url.relativePath) in \(dataset.url.relativePath): expected a "
          + "video named '\(unknown)', found \(videos.prefix(5).joined(separator: ", "))"
          + (videos.count > 5 ? " and \(videos.count - 5) more" : ""))
    }
    if let (position, length) = schedule.firstBeyond(try lengths(of: dataset)) {
      let held = schedule.entries[position].seconds
      throw EvaluationError.wrongData(
        "cannot follow prompts[\(position)] of \(url.relativePath) in \(dataset.url.relativePath): "
          + "expected times in seconds within the video of \(length.text(decimals: 2)) s, found "
          + "\(held.lowerBound.plainText) to \(held.upperBound.plainText)")
    }
    return schedule
  }

  /// The videos' names, and the seconds from the first frame to the last.
  private static func lengths(
    of dataset: DatasetReader
  ) throws(FileError) -> [(name: String, seconds: Double)] {
    try dataset.sequences.filter { $0.kind == .video && $0.count > 0 }.map {
      (video) throws(FileError) in
      let last = video.first + video.count - 1
      let begin = try dataset.frames(video.first..<video.first + 1)[0].timestampMicroseconds
      let end = try dataset.frames(last..<last + 1)[0].timestampMicroseconds
      return (video.name, Double(end - begin) / 1e6)
    }
  }

  /// The sessions of an earlier calibration; throws where it was not made with prompts.
  static func sessions(of url: URL) throws -> [PromptedSession] {
    guard let sessions = try CalibrationFile(file: url).sessions, !sessions.isEmpty else {
      throw EvaluationError.wrongData(
        "cannot compare with \(url.relativePath): expected a calibration made with --prompts, found "
          + "none of its sessions")
    }
    return sessions
  }

  /// Throws where fewer than two repetitions of prompts have a face.
  init(_ faces: PromptedFaces, against earlier: [PromptedSession], run: URL) throws {
    sessions = faces.sessions
    guard faces.repetitionCount >= 2 else {
      throw EvaluationError.wrongData(
        "cannot calibrate \(run.relativePath) by prompts: expected two repetitions with a face in "
          + "\(PromptedSession.minFrames) frames or more of their middle halves, found "
          + "\(faces.repetitionCount)")
    }
    let drift = SessionDrift.tests(sessions, against: earlier)
    tables = [Self.promptTable(sessions), Self.driftTable(drift)].compactMap { $0 }
    notes =
      Self.driftNotes(drift, comparable: sessions.count + earlier.count > 1)
      + Self.conditionNotes(sessions, against: earlier)
  }

  private static func promptTable(_ sessions: [PromptedSession]) -> Series? {
    let rows = sessions.flatMap { session in
      session.prompted.sorted { $0.key < $1.key }.map { name, prompted in
        [session.name, name] + mean(session.rest[name] ?? []) + mean(prompted)
      }
    }
    return CalibrationSeries.table(
      "calibration.prompts", "Coefficients at rest and as asked for",
      [
        "video", "coefficient", "at rest", "spread", "repetitions", "as asked for", "spread",
        "repetitions",
      ], rows)
  }

  /// Mean, standard deviation and number of repetitions.
  private static func mean(_ values: [Double]) -> [String] {
    guard !values.isEmpty else { return ["–", "–", "0"] }
    let mean = values.reduce(0, +) / Double(values.count)
    let squares = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let deviation =
      values.count > 1 ? (squares / Double(values.count - 1)).squareRoot().text(decimals: 3) : "–"
    return [mean.text(decimals: 3), deviation, "\(values.count)"]
  }

  private static func driftTable(_ drift: [SessionDrift]) -> Series? {
    let sorted = drift.sorted {
      ($0.adjustedP, -abs($0.difference)) < ($1.adjustedP, -abs($1.difference))
    }
    return CalibrationSeries.table(
      "calibration.drift", "Drift between sessions, the largest evidence first",
      ["from", "to", "coefficient", "state", "difference", "95 % interval", "p (Holm)"],
      sorted.prefix(60).map { one in
        [
          one.earlier, one.later, one.coefficient,
          one.state == .rest ? "at rest" : "as asked for", signed(one.difference),
          "\(signed(one.low)) to \(signed(one.high))", one.adjustedP.text(decimals: 4),
        ]
      })
  }

  private static func driftNotes(_ drift: [SessionDrift], comparable: Bool) -> [String] {
    guard comparable else { return [] }
    guard !drift.isEmpty else {
      return [
        "Drift between sessions was not tested: it takes two repetitions of a prompt in both "
          + "sessions of a person."
      ]
    }
    let decisive = drift.filter(\.isDecisive)
    let groups = Dictionary(grouping: decisive) { [$0.earlier, $0.later] }
    return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { names, found in
      let largest = found.sorted { abs($0.difference) > abs($1.difference) }
      let texts = largest.prefix(4).map { one in
        "\(one.coefficient) \(one.state == .rest ? "at rest" : "as asked for") "
          + "\(signed(one.difference)) (\(signed(one.low)) to \(signed(one.high)))"
      }
      return "WARNING: '\(names[1])' differs from '\(names[0])' in \(texts.joined(separator: ", "))"
        + (largest.count > 4 ? " and \(largest.count - 4) more" : "")
        + ": a correction made from one does not hold for the other."
    }
  }

  private static func conditionNotes(
    _ sessions: [PromptedSession], against earlier: [PromptedSession]
  ) -> [String] {
    guard !earlier.isEmpty else { return [] }
    return sessions.compactMap { session in
      let differences = session.conditions.differences(from: earlier.map(\.conditions))
      return differences.isEmpty
        ? nil
        : "WARNING: the conditions of '\(session.name)' are not those of the earlier calibration: "
          + differences.joined(separator: "; ") + "."
    }
  }

  private static func signed(_ value: Double) -> String {
    (value < 0 ? "−" : "+") + abs(value).text(decimals: 3)
  }
}
