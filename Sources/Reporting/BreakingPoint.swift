internal import Platform
import Records

/// The severity of a degradation at which a metric breaks a limit.
struct BreakingPoint: Hashable {
  /// The first severity whose value breaks the limit or is undefined; nil if none does.
  let value: Int?
  /// The first severity that may break it, whose interval reaches beyond the limit; nil if none does.
  let earliest: Int?
  /// The first severity that surely breaks it, whose whole interval lies beyond the limit; nil if none does.
  let latest: Int?
  /// Whether every defined value has an interval; else `earliest` and `latest` are nil.
  let hasInterval: Bool
  /// The largest severity.
  private let last: Int
  /// Whether the value at `value` is undefined.
  private let isUndefined: Bool

  /// Searches severities in ascending order; nil where there are none, or the first has no value.
  ///
  /// A severity without a value breaks every limit, as in gates. The bounds invert the intervals of the single
  /// severities: where the metric gets steadily worse, a severity outside them would need an interval that misses.
  init?(of steps: [SeverityChart.Step], beyond limit: Double, _ direction: Gate.Side) {
    guard let first = steps.first, let last = steps.last, first.measurement.value != nil else {
      return nil
    }
    func isBeyond(_ number: Double) -> Bool {
      direction == .atLeast ? number < limit : number > limit
    }
    let broken = steps.first { $0.measurement.value.map(isBeyond) ?? true }
    value = broken?.severity
    isUndefined = broken.map { $0.measurement.value == nil } ?? false
    self.last = last.severity
    hasInterval = steps.allSatisfy {
      $0.measurement.value == nil || $0.measurement.interval.low != nil
    }
    /// The end of the interval on the bad side, then the one on the good side.
    func ends(_ metric: Measurement) -> (bad: Double, good: Double)? {
      guard metric.value != nil, let (low, high) = metric.interval.ends else { return nil }
      return direction == .atLeast ? (low, high) : (high, low)
    }
    earliest =
      hasInterval
      ? steps.first { ends($0.measurement).map { isBeyond($0.bad) } ?? true }?.severity : nil
    latest =
      hasInterval
      ? steps.first { ends($0.measurement).map { isBeyond($0.good) } ?? true }?.severity : nil
  }

  /// The severity in words, such as `severity 3` or `none up to 5`.
  var text: String {
    guard let value else { return "none up to \(last)" }
    return (value == 0 ? "clean images" : "severity \(value)") + (isUndefined ? " (no value)" : "")
  }

  /// The bounds, such as `2 to 4` or `4 to beyond 5`; nil without intervals.
  var intervalText: String? {
    guard hasInterval else { return nil }
    func word(_ severity: Int?) -> String { severity.map { "\($0)" } ?? "beyond \(last)" }
    return earliest == latest ? word(earliest) : "\(word(earliest)) to \(word(latest))"
  }
}
