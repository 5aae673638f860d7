internal import Foundation

/// The limits that the next value of a normal series stays within with a stated probability, its mean and spread being known from
/// the values before it alone.
///
/// Mean ± t of n − 1 degrees of freedom · s · √(1 + 1 / n). Source: Hahn and Meeker 1991, Statistical Intervals, section 4.7.
package struct PredictionLimits: Sendable, Hashable {
  /// The limits; both are the mean where all values are equal.
  package let low, high: Double

  /// The limits that each leave `tail` of the next values out; nil of fewer than two values.
  package init?(of values: [Double], tail: Double) {
    guard values.count > 1, let mean = values.mean else { return nil }
    let n = Double(values.count)
    let reach =
      StudentT.distance(beyond: tail, freedom: n - 1)
      * (values.sampleVariance * (1 + 1 / n)).squareRoot()
    (low, high) = (mean - reach, mean + reach)
  }
}
