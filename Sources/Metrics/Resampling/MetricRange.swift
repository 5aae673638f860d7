internal import Platform

/// The values that a metric can take, which decide how its interval is computed.
package enum MetricRange: Sendable, Hashable {
  /// A count over the count `n`, such as recall: in [0, 1].
  case proportion
  /// Any other number in [0, 1], such as an area under a curve.
  case unit
  /// A number in [−1, 1], such as a correlation.
  case signedUnit
  /// 0 or more, such as an error, a rate or a count.
  case atLeastZero
  /// 0 or more of a length in the face, such as an error over the distance of its eyes: 1 is beyond any tracker that works.
  case share
  /// 0 or more of what is counted over frames, images or time: 0 only where no cluster has any of it.
  case rate
  /// Any number, such as a difference.
  case any

  /// The ends of a range that has two.
  package var ends: ClosedRange<Double>? {
    switch self {
    case .proportion, .unit: 0...1
    case .signedUnit: -1...1
    case .atLeastZero, .share, .rate, .any: nil
    }
  }

  /// The largest change that says something; nil where there is none.
  package var span: Double? {
    self == .share ? 1 : ends.map { $0.upperBound - $0.lowerBound }
  }

  /// The lowest value; nil where there is none.
  package var lowest: Double? { ends?.lowerBound ?? (self == .any ? nil : 0) }

  /// The ends as a message names them; nil for any number.
  package var words: String? {
    if self == .share { return "0 or more and below 1 (5 % is 0.05)" }
    guard let ends else { return self == .any ? nil : "0 or more" }
    return "from \(ends.lowerBound.plainText) to \(ends.upperBound.plainText)"
  }

  /// Whether no value is above an upper limit, or none below a lower one.
  package func cannotMiss(_ limit: Double, isUpper: Bool) -> Bool {
    if isUpper, self == .share { return limit >= 1 }
    return isUpper
      ? ends.map { limit > $0.upperBound } ?? false : lowest.map { limit < $0 } ?? false
  }

  /// Whether a metric can have a value.
  package func holds(_ value: Double) -> Bool {
    ends.map { $0.contains(value) } ?? (self == .any || value >= 0)
  }
}
