internal import Foundation
package import Platform

/// How the medians of stages went over commits, and where they shifted.
package struct TimingHistory: Sendable, Hashable, Codable {
  /// One baseline.
  package struct Run: Sendable, Hashable, Codable {
    /// The baseline's file.
    package var file: String
    /// Hash of the commit; nil where it is not known.
    @Nullable package var commit: String?
    /// When it was measured, ISO 8601 in UTC.
    package var created: String
    /// Median time of the reference kernel, in milliseconds.
    package var referenceMilliseconds: Double

    /// Names a baseline.
    package init(file: String, commit: String?, created: String, referenceMilliseconds: Double) {
      self.file = file
      self.commit = commit
      self.created = created
      self.referenceMilliseconds = referenceMilliseconds
    }

    /// The first characters of the commit, or the file's name.
    package var label: String { commit.map { String($0.prefix(10)) } ?? file }
  }

  /// The start of a segment in which a stage takes another time than before.
  package struct Shift: Sendable, Hashable, Codable {
    /// Position of the first run after it, among all runs.
    package var run: Int
    /// Median of the segment before it, in times of the reference kernel.
    package var before: Double
    /// Median of the segment from it on.
    package var after: Double
    /// p of the rank sums, times the numbers of positions and of stages.
    package var p: Double

    /// Describes a shift.
    package init(run: Int, before: Double, after: Double, p: Double) {
      self.run = run
      self.before = before
      self.after = after
      self.p = p
    }

    /// The change as a share of the time before.
    package var change: Double { before > 0 ? after / before - 1 : 0 }
  }

  /// A stage over one population of frames.
  package struct Line: Sendable, Hashable, Codable {
    /// Name of the stage.
    package var stage: String
    /// The frames.
    package var slice: FramePopulation
    /// The median of each run in times of its reference kernel; null where it has none.
    package var values: [Double?]
    /// Where the values shifted.
    package var shifts: [Shift]

    /// Describes a stage.
    package init(stage: String, slice: FramePopulation, values: [Double?], shifts: [Shift]) {
      self.stage = stage
      self.slice = slice
      self.values = values
      self.shifts = shifts
    }
  }

  /// The schema that the JSON follows.
  package var schema = "facegauge.history"
  /// Version of the schema.
  package var version = 1
  /// Name of the dataset.
  package var dataset: String
  /// The runs, oldest first.
  package var runs: [Run]
  /// The stages.
  package var lines: [Line]
  /// What a reader must know, a sentence each.
  package var notes: [String]

  /// Describes a history.
  package init(dataset: String, runs: [Run], lines: [Line], notes: [String]) {
    self.dataset = dataset
    self.runs = runs
    self.lines = lines
    self.notes = notes
  }

  /// The JSON, keys sorted.
  package func json() throws -> [UInt8] {
    try JSONEncoder.document.bytes(of: self)
  }
}
