package import Foundation
internal import Platform
internal import Profiling
package import Records
package import Running
internal import Statistics

/// Puts baselines in order and finds where their normalised medians shift.
package enum BaselineHistory {
  /// Reads baselines and keeps those on the newest one's dataset, in the order of measurement.
  ///
  /// Throws `.wrongData` for a file that is no baseline, `.notFound` where there is none.
  package static func read(_ files: [URL]) throws(EvaluationError) -> MetricHistory {
    guard !files.isEmpty else {
      throw EvaluationError(.notFound, "cannot draw a history: expected baselines, found none")
    }
    return try EvaluationError.wrapping {
      history(
        try files.map { (file: $0, one: try Baseline(file: $0)) }.inOrderOfTime { $0.one.created })
    }
  }

  /// What one line of a history shows.
  private struct Key: Equatable {
    let stage: String
    let slice: FramePopulation

    init(_ median: Baseline.Stage) { (stage, slice) = (median.stage, median.slice) }
  }

  private static func history(_ all: [(file: URL, one: Baseline)]) -> MetricHistory {
    let newest = all[all.count - 1].one
    let taken = all.filter { $0.one.datasetSHA256 == newest.datasetSHA256 }
    var notes: [String] = []
    if taken.count < all.count {
      notes.append(
        "\(all.count - taken.count) of \(all.count) baselines are of another dataset and left out.")
    }
    let processors = Set(taken.map { "\($0.one.cpu), \($0.one.blasCore)" })
    if processors.count > 1 {
      notes.append(
        "The runs are of \(processors.count) kinds of machine: the reference kernel does not "
          + "compensate for that.")
    }
    let kernels = Set(taken.compactMap(\.one.kernels))
    if kernels.count > 1 {
      notes.append(
        "The runs used different kernels (\(kernels.sorted().joined(separator: ", "))): the "
          + "reference kernel does not compensate for that.")
    }
    let options = Set(taken.map(\.one.options).map { $0.filter { $0.key != RunOption.against } })
    if options.count > 1 { notes.append("Not all runs have the same settings.") }
    var keys: [Key] = []
    for stage in taken.flatMap(\.one.stages) where !keys.contains(Key(stage)) {
      keys.append(Key(stage))
    }
    let minCount = MedianShift.minCount(of: keys.count)
    if taken.count < minCount {
      notes.append("There are \(taken.count) runs; a shift needs at least \(minCount).")
    }
    let lines = keys.map { key in
      let values = taken.map { run -> Double? in
        run.one.stages.first { Key($0) == key && $0.n > 0 }.map {
          $0.milliseconds / run.one.referenceMilliseconds
        }
      }
      return MetricHistory.Line(
        name: key.stage, slice: key.slice, unit: MetricHistory.referenceUnit, better: .lower,
        values: values, of: keys.count)
    }
    return MetricHistory(
      dataset: newest.dataset,
      runs: taken.map {
        MetricHistory.Run(
          file: $0.file.lastPathComponent, commit: $0.one.commit, created: $0.one.created,
          referenceMilliseconds: $0.one.referenceMilliseconds)
      }, lines: lines, notes: notes)
  }
}

extension MetricHistory.Line {
  /// One of `count` lines that are searched together; the values are in the order of measurement.
  package init(
    name: String, slice: FramePopulation? = nil, unit: String, better: Direction,
    target: Double? = nil, limit: Double? = nil, values: [Double?],
    intervals: [[Double]?]? = nil, of count: Int
  ) {
    let positions = values.indices.filter { values[$0] != nil }
    let known = values.compactMap { $0 }
    let shifts = MedianShift.all(in: known, of: count).map {
      MetricHistory.Shift(run: positions[$0.index], before: $0.before, after: $0.after, p: $0.p)
    }
    self.init(
      name: name, slice: slice, unit: unit, better: better, limit: limit, values: values,
      intervals: intervals ?? values.map { _ in nil }, shifts: shifts,
      newest: values.last.flatMap { $0 }.flatMap { newest in
        let usual = known.dropLast().suffix(MetricHistory.usualRuns)
        return Self.newest(
          newest, after: Array(usual), better: better, target: target,
          tail: MetricHistory.falseAlarms / Double(count))
      })
  }

  private static func newest(
    _ value: Double, after usual: [Double], better: Direction, target: Double?, tail: Double
  ) -> MetricHistory.Newest? {
    guard usual.count == MetricHistory.usualRuns else { return nil }
    func distance(_ value: Double) -> Double { abs(value - (target ?? 0)) }
    let seen = better == .closest ? usual.map(distance) : usual
    let own = better == .closest ? distance(value) : value
    guard better.isDirected, let limits = PredictionLimits(of: seen, tail: tail) else { return nil }
    // Equal values are computed alike; less than this is rounding.
    let rounding = 1e-9 * max(abs(limits.low), abs(limits.high))
    let isWorse = better == .higher ? own < limits.low - rounding : own > limits.high + rounding
    let isFromTarget = better == .closest
    return MetricHistory.Newest(
      runs: usual.count, low: isFromTarget ? (target ?? 0) - limits.high : limits.low,
      high: isFromTarget ? (target ?? 0) + limits.high : limits.high, isWorse: isWorse)
  }
}
