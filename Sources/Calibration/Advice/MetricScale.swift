internal import Foundation
internal import Metrics
internal import Records
internal import Statistics

/// A transformation of a metric that makes its resampled values spread symmetrically.
struct MetricScale: Sendable, Hashable {
  /// What kind of number a metric is.
  enum Kind: Sendable, Hashable {
    /// In [0, 1]: log-odds.
    case share
    /// 0 or more: square root.
    case amount
    /// Any number, unchanged.
    case plain
  }

  let kind: Kind
  /// Pseudo-cases that move a share away from 0 and 1 and keep its log-odds finite.
  let weight: Double

  /// The kind of number that some values are, given their unit.
  static func kind(unit: String, values: some Sequence<Double>) -> Kind {
    var (isShare, isAmount) = (unit == "1", true)
    for value in values {
      isShare = isShare && (0...1).contains(value)
      isAmount = isAmount && value >= 0
    }
    return isShare ? .share : isAmount ? .amount : .plain
  }

  /// A value on the stretched scale.
  func stretched(_ value: Double) -> Double {
    switch kind {
    case .share:
      let share = (min(1, max(0, value)) * weight + 0.5) / (weight + 1)
      return log(share / (1 - share))
    case .amount: return max(0, value).squareRoot()
    case .plain: return value
    }
  }

  /// The value of a number on the stretched scale.
  func value(ofStretched number: Double) -> Double {
    switch kind {
    case .share:
      let share = 1 / (1 + exp(-number))
      return min(1, max(0, (share * (weight + 1) - 0.5) / weight))
    case .amount: return number > 0 ? number * number : 0
    case .plain: return number
    }
  }

  /// The standard deviation of resampled values on the stretched scale, 0 for fewer than two.
  func standardError(_ values: [Double]) -> Double {
    guard values.count > 1, values.contains(where: { $0 != values[0] }) else { return 0 }
    return values.map(stretched).sampleVariance.squareRoot()
  }
}

extension ClusterSizes {
  /// How many bootstrap standard errors hold a share on one side; nil for fewer than two clusters' worth.
  ///
  /// Student's t, times √(n / (n − 1)), by which the bootstrap of n clusters is too narrow
  /// (Hesterberg 2015, section 3.2).
  func reach(_ share: Double) -> Double? {
    guard effective >= 2 else { return nil }
    return StudentT.distance(beyond: 1 - share, freedom: effective - 1)
      * (effective / (effective - 1)).squareRoot()
  }
}
