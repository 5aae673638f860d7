internal import Platform

/// A number that may have an interval.
package protocol Bounded {
  /// Lower end of the interval; nil where there is none.
  var low: Double? { get }
  /// Upper end of the interval; nil where there is none.
  var high: Double? { get }
}

extension Bounded {
  /// Both ends of the interval; nil where there is none.
  package var ends: (low: Double, high: Double)? {
    guard let low, let high else { return nil }
    return (low, high)
  }

  /// Both ends as text, such as `0.91 to 0.95`; nil where there is none.
  package func endsText(_ number: (Double) -> String) -> String? {
    ends.map { "\(number($0.low)) to \(number($0.high))" }
  }

  /// How far from 0 at least: the nearer end of the interval, 0 where that holds 0 or there is none.
  package var atLeast: Double {
    guard let low, let high else { return 0 }
    return low > 0 ? low : high < 0 ? -high : 0
  }
}
