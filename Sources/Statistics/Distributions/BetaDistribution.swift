internal import Foundation

/// The beta distribution, whose quantiles bound a proportion; both parameters are positive and need not be whole.
///
/// Source: NIST Digital Library of Mathematical Functions, 8.17.22, by Lentz's method.
package struct BetaDistribution: Sendable, Hashable {
  /// The first parameter.
  package let a: Double
  /// The second parameter.
  package let b: Double

  /// Makes a distribution of two positive parameters.
  package init(a: Double, b: Double) {
    precondition(a > 0 && b > 0)
    self.a = a
    self.b = b
  }

  /// Probability of at most `x`.
  package func probability(atMost x: Double) -> Double {
    guard x > 0 else { return 0 }
    guard x < 1 else { return 1 }
    // The fraction converges fast below the mean; above it the mirrored one does.
    return x < (a + 1) / (a + b + 2)
      ? Self.tail(x, 1 - x, a, b) : 1 - Self.tail(1 - x, x, b, a)
  }

  /// The number that a share of the distribution does not exceed, to about 1e-15.
  package func quantile(_ share: Double) -> Double {
    var (low, high) = (0.0, 1.0)
    while true {
      let middle = low + (high - low) / 2
      guard middle > low, middle < high, high - low > 1e-16 * high else { return middle }
      if probability(atMost: middle) < share { low = middle } else { high = middle }
    }
  }

  private static func tail(_ x: Double, _ rest: Double, _ a: Double, _ b: Double) -> Double {
    let scale = exp(
      lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(rest))
    return min(max(scale * fraction(x, a, b) / a, 0), 1)
  }

  private static func fraction(_ x: Double, _ a: Double, _ b: Double) -> Double {
    func bounded(_ value: Double) -> Double { abs(value) < 1e-300 ? 1e-300 : value }
    var c = 1.0
    var d = 1 / bounded(1 - (a + b) * x / (a + 1))
    var fraction = d
    for step in 1...100_000 {
      let m = Double(step)
      let position = a + 2 * m
      let even = m * (b - m) * x / ((position - 1) * position)
      d = 1 / bounded(1 + even * d)
      c = bounded(1 + even / c)
      fraction *= c * d
      let odd = -(a + m) * (a + b + m) * x / (position * (position + 1))
      d = 1 / bounded(1 + odd * d)
      c = bounded(1 + odd / c)
      fraction *= c * d
      if abs(c * d - 1) < 1e-15 { break }
    }
    return fraction
  }
}
