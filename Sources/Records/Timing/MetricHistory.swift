internal import Foundation
package import Platform

/// How metrics, or the medians of stages, went over commits, and where they shifted.
package struct MetricHistory: Sendable, Hashable, Codable {
  /// One baseline or record.
  package struct Run: Sendable, Hashable, Codable {
    /// Its file, or the folder of its record.
    package var file: String
    /// Hash of the commit; nil where it is not known.
    @Nullable package var commit: String?
    /// When it was measured, ISO 8601 in UTC.
    package var created: String
    /// Median time of the reference kernel, in milliseconds; nil of a record.
    @Nullable package var referenceMilliseconds: Double?

    /// Names a baseline or a record.
    package init(
      file: String, commit: String?, created: String, referenceMilliseconds: Double? = nil
    ) {
      self.file = file
      self.commit = commit
      self.created = created
      self.referenceMilliseconds = referenceMilliseconds
    }

    /// The first characters of the commit, or the file's name.
    package var label: String { commit.map { String($0.prefix(10)) } ?? file }
  }

  /// The start of a segment in which values are others than before.
  package struct Shift: Sendable, Hashable, Codable {
    /// Position of the first run after it, among all runs.
    package var run: Int
    /// Median of the segment before it, in the unit of the line.
    package var before: Double
    /// Median of the segment from it on.
    package var after: Double
    /// p of the rank sums, times the numbers of positions and of lines.
    package var p: Double

    /// Describes a shift.
    package init(run: Int, before: Double, after: Double, p: Double) {
      self.run = run
      self.before = before
      self.after = after
      self.p = p
    }

    /// The change as a share of the value before; nil of 0.
    package var change: Double? { before == 0 ? nil : (after - before) / abs(before) }
  }

  /// The newest run against the runs before it.
  package struct Newest: Sendable, Hashable, Codable {
    /// How many runs before it tell what is usual: ten.
    package var runs: Int
    /// The limits that the next value is usually within.
    package var low, high: Double
    /// Whether it is beyond the limit on the worse side.
    package var isWorse: Bool

    /// Describes a comparison.
    package init(runs: Int, low: Double, high: Double, isWorse: Bool) {
      self.runs = runs
      self.low = low
      self.high = high
      self.isWorse = isWorse
    }
  }

  /// A metric, or a stage over one population of frames.
  package struct Line: Sendable, Hashable, Codable {
    /// Name of the metric or the stage.
    package var name: String
    /// The frames of a stage; nil of a metric.
    @Nullable package var slice: FramePopulation?
    /// Unit of the values.
    package var unit: String
    /// Which way they improve.
    package var better: Direction
    /// What the newest run's gate on the metric asks; nil without one.
    @Nullable package var limit: Double?
    /// The value of each run; null where it has none.
    package var values: [Double?]
    /// Both ends of the interval of each run's value; null where it has none.
    package var intervals: [[Double]?]
    /// Where the values shifted.
    package var shifts: [Shift]
    /// The newest run against the ten before it; nil where there are fewer, or neither way is better.
    @Nullable package var newest: Newest?

    /// Describes a metric or a stage.
    package init(
      name: String, slice: FramePopulation? = nil, unit: String, better: Direction,
      limit: Double? = nil, values: [Double?], intervals: [[Double]?], shifts: [Shift],
      newest: Newest?
    ) {
      self.name = name
      self.slice = slice
      self.unit = unit
      self.better = better
      self.limit = limit
      self.values = values
      self.intervals = intervals
      self.shifts = shifts
      self.newest = newest
    }

    /// The name with the frames.
    package var label: String { name + (slice.map { " (\($0.rawValue))" } ?? "") }
  }

  /// What the unit of a baseline's stage is.
  package static let referenceUnit = "times the reference kernel"
  /// So many runs tell what is usual.
  package static let usualRuns = 10
  /// The chance that some newest value is beyond its limit though nothing has changed.
  package static let falseAlarms = 0.01

  /// The schema that the JSON follows.
  package var schema = "facegauge.history"
  /// Version of the schema.
  package var version = 2
  /// Name of the dataset.
  package var dataset: String
  /// The runs, oldest first.
  package var runs: [Run]
  /// The metrics or stages.
  package var lines: [Line]
  /// What a reader must know, a sentence each.
  package var notes: [String]
  /// Why the newest run decides nothing, as where its input is suspect; nil where it does.
  package var objection: String?

  /// Describes a history.
  package init(
    dataset: String, runs: [Run], lines: [Line], notes: [String], objection: String? = nil
  ) {
    self.dataset = dataset
    self.runs = runs
    self.lines = lines
    self.notes = notes
    self.objection = objection
  }

  /// Whether the newest run is worse than the ten before it in some line; inconclusive where one has too few of them or
  /// no newest value, and where the newest run's input is suspect.
  package var verdict: Verdict {
    if objection != nil { return .inconclusive }
    let directed = lines.filter { $0.better.isDirected }
    if directed.contains(where: { $0.newest?.isWorse == true }) { return .fail }
    return directed.isEmpty || directed.contains { $0.newest == nil } ? .inconclusive : .pass
  }

  /// The JSON, keys sorted.
  package func json() throws -> [UInt8] {
    try JSONEncoder.document.bytes(of: self)
  }
}

extension MetricHistory.Line {
  /// A value with its unit.
  package func text(_ value: Double) -> String {
    slice == nil ? Measurement.text(of: value, unit: unit) : value.shortText(significantDigits: 4)
  }

  /// Whether the newest run has no value, as where a stage or the points are missing.
  package var isUndefined: Bool { values.last.flatMap { $0 } == nil }

  /// What the newest run is, in a word or two.
  package var verdict: String {
    guard better.isDirected else { return "neither way is better" }
    if isUndefined { return "undefined in the newest run" }
    guard let newest else { return "fewer than \(MetricHistory.usualRuns) runs before it" }
    return newest.isWorse ? "worse" : "as usual or better"
  }
}

extension MetricHistory {
  /// What the newest run is, in a sentence.
  package var sentence: String {
    let worse = lines.filter { $0.newest?.isWorse == true }
    let label = runs.last?.label ?? ""
    if let objection { return "The newest run, \(label), is not compared. \(objection)" }
    let undefined = lines.filter { $0.better.isDirected && $0.isUndefined }
    let never = undefined.filter { line in !line.values.contains { $0 != nil } }.map(\.label)
    let lost = undefined.map(\.label).filter { !never.contains($0) }
    switch verdict {
    case .fail:
      return
        "The newest run, \(label), is worse than the \(Self.usualRuns) before it in "
        + "\(worse.map(\.label).joined(separator: ", "))."
    case .pass:
      return "The newest run, \(label), is as usual or better in all \(lines.count) lines."
    case .inconclusive where !lost.isEmpty:
      return
        "The newest run, \(label), has no value of \(lost.joined(separator: ", ")), which earlier runs have; "
        + "nothing else is worse."
    case .inconclusive where !never.isEmpty:
      return
        "Whether the newest run is worse is not decided: no run has a value of \(never.joined(separator: ", "))."
    case .inconclusive:
      return
        "Whether the newest run is worse is not decided: \(Self.usualRuns) runs before it tell what is usual, and some "
        + "lines have fewer."
    }
  }
}
