internal import Foundation

/// How the medians of stages went over commits, and where they shifted.
public struct TimingHistory: Sendable, Hashable, Codable {
  /// One baseline.
  public struct Run: Sendable, Hashable, Codable {
    /// The baseline's file.
    public var file: String
    /// Hash of the commit; nil where it is not known.
    @Nullable public var commit: String?
    /// When it was measured, ISO 8601 in UTC.
    public var created: String
    /// Median time of the reference kernel, in milliseconds.
    public var referenceMilliseconds: Double

    /// Names a baseline.
    public init(file: String, commit: String?, created: String, referenceMilliseconds: Double) {
      self.file = file
      self.commit = commit
      self.created = created
      self.referenceMilliseconds = referenceMilliseconds
    }

    /// The first characters of the commit, or the file's name.
    public var label: String { commit.map { String($0.prefix(10)) } ?? file }
  }

  /// A place from which on a stage takes another time.
  public struct Shift: Sendable, Hashable, Codable {
    /// Place of the first run after it, among all runs.
    public var run: Int
    /// Median of the segment before it, in times of the reference kernel.
    public var before: Double
    /// Median of the segment from it on.
    public var after: Double
    /// p of the rank sums, times the numbers of places and of stages.
    public var p: Double

    /// Describes a shift.
    public init(run: Int, before: Double, after: Double, p: Double) {
      self.run = run
      self.before = before
      self.after = after
      self.p = p
    }

    /// The change as a share of the time before.
    public var change: Double { before > 0 ? after / before - 1 : 0 }
  }

  /// A stage over one population of frames.
  public struct Line: Sendable, Hashable, Codable {
    /// Name of the stage.
    public var stage: String
    /// `detector_ran` or `tracked`.
    public var slice: String
    /// The median of each run in times of its reference kernel; null where it has none.
    public var values: [Double?]
    /// Where the values shifted.
    public var shifts: [Shift]

    /// Describes a stage.
    public init(stage: String, slice: String, values: [Double?], shifts: [Shift]) {
      self.stage = stage
      self.slice = slice
      self.values = values
      self.shifts = shifts
    }
  }

  /// The schema that the JSON follows.
  public var schema = "facegauge.history"
  /// Version of the schema.
  public var version = 1
  /// Name of the dataset.
  public var dataset: String
  /// The runs, oldest first.
  public var runs: [Run]
  /// The stages.
  public var lines: [Line]
  /// What a reader must know, a sentence each.
  public var notes: [String]

  /// Describes a history.
  public init(dataset: String, runs: [Run], lines: [Line], notes: [String]) {
    self.dataset = dataset
    self.runs = runs
    self.lines = lines
    self.notes = notes
  }

  /// The JSON, keys sorted.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try Array(encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}
