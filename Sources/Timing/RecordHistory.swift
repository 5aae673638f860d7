package import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running
internal import Scoring
internal import Statistics

/// Puts the records of runs in order and finds where their metrics shift.
package enum RecordHistory {
  /// What may differ between runs that are compared, besides what `OptionChanges` passes over: it changes no metric but by
  /// chance, or is what is watched.
  private static let free: Set<String> = [
    "min-slice", RunOption.tracker, RunOption.against, RunOption.resumed,
  ]

  /// Reads records and keeps those that can be compared with the newest one: of its dataset, kind, options and numerics.
  ///
  /// `metrics` names what is drawn; without any the headlines of the newest run and of the ten before it are, but for
  /// absolute times. Throws `.wrongData` for a file that is no record, for a newest one of another version of the schema,
  /// and for a metric that the newest one has not.
  package static func read(
    _ files: [URL], metrics: [String]
  ) throws(EvaluationError) -> MetricHistory {
    try EvaluationError.wrapping {
      let (all, others) = try records(in: files)
      return try history(all, others: others, metrics)
    }
  }

  /// The records of this version in the order of time, and how many there are of others, which are all older.
  private static func records(
    in files: [URL]
  ) throws -> (all: [(file: URL, one: Record)], others: Int) {
    var all: [(file: URL, one: Record)] = []
    var others: [(created: String, error: FileError)] = []
    for file in files {
      do throws(FileError) {
        all.append((file, try Record(file: file)))
      } catch {
        guard let created = created(ofOtherVersion: file) else { throw error }
        others.append((created, error))
      }
    }
    all = all.inOrderOfTime { $0.one.created }
    if let last = others.max(by: { $0.created < $1.created }),
      all.last.map({ $0.one.created <= last.created }) ?? true
    {
      throw last.error
    }
    return (all, others.count)
  }

  /// When the run of a record of another version of the schema began; nil for another file.
  private static func created(ofOtherVersion file: URL) -> String? {
    struct Header: Decodable {
      var schema: String
      var version: Int
      var created: String
    }
    guard let bytes = try? InputFile.bytes(of: file),
      let header = try? JSONDecoder().decode(Header.self, from: Data(bytes)),
      header.schema == Record.schemaName, header.version != Record.schemaVersion
    else { return nil }
    return header.created
  }

  private static func history(
    _ all: [(file: URL, one: Record)], others: Int, _ metrics: [String]
  ) throws(EvaluationError) -> MetricHistory {
    guard let newest = all.last?.one else {
      throw EvaluationError(.notFound, "cannot draw a history: expected records, found none")
    }
    var (taken, notes) = (all, [String]())
    let count = all.count + others
    if others > 0 {
      notes.append(
        "\(others) of \(count) records are left out: of another version of their schema.")
    }
    func keep(
      _ difference: String, _ isAlike: (Record) -> Bool, detail: (Record) -> String? = { _ in nil }
    ) {
      let kept = taken.filter { isAlike($0.one) }
      if let last = taken.last(where: { !isAlike($0.one) })?.one {
        let detail = detail(last).map { " (of the newest of them: \($0))" } ?? ""
        notes.append(
          "\(taken.count - kept.count) of \(count) records are left out: "
            + "\(difference)\(detail).")
      }
      taken = kept
    }
    keep("of another dataset") { $0.dataset.sha256 == newest.dataset.sha256 }
    keep("of another kind of run") { $0.kind == newest.kind }
    func changes(_ record: Record) -> String? {
      OptionChanges.text(from: options(record), to: options(newest))
    }
    keep("with other options", { changes($0) == nil }, detail: changes)
    if !newest.models.isEmpty {
      keep("computed by other kernels") { $0.host.kernels == newest.host.kernels }
    }
    let suspect = taken.filter { $0.one.findings?.objection != nil }.count
    if suspect > 0 {
      notes.append(
        "\(suspect) of \(taken.count) records have suspect findings, which nobody accepted.")
    }
    var shown = try shown(in: newest, metrics)
    if metrics.isEmpty {
      // What earlier runs have among their headlines, and the newest one has lost.
      for run in taken.dropLast().suffix(MetricHistory.usualRuns) {
        shown += try self.shown(in: run.one, []).filter { metric in
          !shown.contains { $0.name == metric.name }
        }
      }
    }
    notes += shown.compactMap { metric in
      newest.measurement(metric.name).flatMap { own in
        own.value == nil
          ? "\(own.name) is undefined in the newest run: \(own.reason ?? "no reason is given")."
          : nil
      }
    }
    let minCount = MedianShift.minCount(of: shown.count)
    if taken.count < minCount {
      let count = taken.count == 1 ? "is 1 run" : "are \(taken.count) runs"
      notes.append("There \(count); a shift needs at least \(minCount).")
    }
    return MetricHistory(
      dataset: newest.dataset.name,
      runs: taken.map {
        MetricHistory.Run(
          file: $0.file.lastPathComponent == recordFile
            ? $0.file.deletingLastPathComponent().lastPathComponent : $0.file.lastPathComponent,
          commit: $0.one.tool.commit, created: $0.one.created)
      },
      lines: shown.map { metric in
        let found = taken.map { run in
          run.one.measurements.first { $0.name == metric.name && $0.slice == nil }
        }
        return MetricHistory.Line(
          name: metric.name, unit: metric.unit, better: metric.better, target: metric.target,
          limit: newest.gates.first { $0.gate.metric == metric.name && $0.gate.slice == nil }?.gate
            .limit,
          values: found.map { $0?.value },
          intervals: found.map { one in
            one?.interval.low.flatMap { low in one?.interval.high.map { [low, $0] } }
          }, of: shown.count)
      }, notes: notes, objection: newest.findings?.objection)
  }

  /// What a run's folder names its record.
  package static let recordFile = "record.json"

  private static func options(_ record: Record) -> [String: String] {
    record.options.filter { !free.contains($0.key) && !$0.key.hasPrefix(RunOption.trackerModel) }
  }

  private static func shown(
    in newest: Record, _ metrics: [String]
  ) throws(EvaluationError) -> [Records.Measurement] {
    let whole = newest.measurements.filter { $0.slice == nil }
    guard !metrics.isEmpty else {
      return newest.headlineMeasurements.filter { !$0.name.hasPrefix("latency.") }
    }
    var shown: [Records.Measurement] = []
    for name in metrics {
      guard let one = whole.first(where: { $0.name == name }) else {
        let found =
          MetricCatalog.definition(of: name) != nil
          ? ", which has not measured it"
          : Suggestion.perhapsKey(name, among: whole.map(\.name), aliases: MetricCatalog.aliases)
            + ", found none"
        throw EvaluationError.wrongData(
          "cannot draw a history of \(name): expected a metric of the newest record\(found)")
      }
      shown.append(one)
    }
    return shown
  }
}

extension Array {
  /// Sorted by a time as text; elements of one second keep their order.
  func inOrderOfTime(_ time: (Element) -> String) -> [Element] {
    enumerated().sorted { (time($0.element), $0.offset) < (time($1.element), $1.offset) }
      .map(\.element)
  }
}
