internal import Foundation

/// Student's t, of any positive number of degrees of freedom, and the normal distribution that it tends to.
package enum StudentT {
  /// The distance from 0 that a share of the distribution exceeds on one side; the share is in (0, 0.5].
  package static func distance(beyond share: Double, freedom: Double) -> Double {
    guard share < 0.5 else { return 0 }
    let x = BetaDistribution(a: freedom / 2, b: 0.5).quantile(2 * share)
    return (freedom * (1 - x) / x).squareRoot()
  }

  /// The one-sided share of the normal distribution beyond a distance.
  package static func normalTail(_ distance: Double) -> Double {
    erfc(distance / 2.0.squareRoot()) / 2
  }

  /// The distance from 0 that a share of the normal distribution exceeds on one side; the share is in (0, 0.5].
  package static func normalDistance(beyond share: Double) -> Double {
    var (low, high) = (0.0, 40.0)
    for _ in 0..<70 {
      let middle = (low + high) / 2
      if normalTail(middle) > share { low = middle } else { high = middle }
    }
    return low
  }
}
