import Foundation

/// How often an event of a fixed probability comes in a number of independent trials.
///
/// Single probabilities by Loader's expansion (C. Loader, Fast and Accurate Computation of Binomial
/// Probabilities, 2000), tails by adding them up from the largest on.
package struct BinomialDistribution: Sendable, Hashable {
  /// How many trials, 0 or more.
  package let trials: Int
  /// Probability of the event, strictly between 0 and 1.
  package let probability: Double

  /// Makes a distribution; the probability must lie strictly between 0 and 1.
  package init(trials: Int, probability: Double) {
    precondition(trials >= 0 && probability > 0 && probability < 1)
    self.trials = trials
    self.probability = probability
  }

  /// Probability of exactly so many events; 0 for a count that cannot be.
  package func probability(of count: Int) -> Double {
    guard 0...trials ~= count else { return 0 }
    let n = Double(trials)
    let k = Double(count)
    let complement = 1 - probability
    if count == 0 { return exp(n * log1p(-probability)) }
    if count == trials { return exp(n * log(probability)) }
    let exponent =
      Self.stirlingError(n) - Self.stirlingError(k) - Self.stirlingError(n - k)
      - Self.deviance(k, n * probability) - Self.deviance(n - k, n * complement)
    return exp(exponent) * (n / (2 * .pi * k * (n - k))).squareRoot()
  }

  /// Probability of at most this many events.
  package func probability(atMost count: Int) -> Double {
    if count < 0 { return 0 }
    if count >= trials { return 1 }
    return Double(count) < Double(trials) * probability
      ? lowerSum(from: count) : 1 - upperSum(from: count + 1)
  }

  /// Probability of at least this many events.
  package func probability(atLeast count: Int) -> Double {
    if count <= 0 { return 1 }
    if count > trials { return 0 }
    return Double(count) > Double(trials) * probability
      ? upperSum(from: count) : 1 - lowerSum(from: count - 1)
  }

  /// P(X ≤ count) for a count below the mean, where terms only fall.
  private func lowerSum(from count: Int) -> Double {
    var term = probability(of: count)
    var sum = term
    let odds = (1 - probability) / probability
    for k in stride(from: count, to: 0, by: -1) where term > sum * 0x1p-60 {
      term *= Double(k) / Double(trials - k + 1) * odds
      sum += term
    }
    return min(sum, 1)
  }

  /// P(X ≥ count) for a count above the mean, where terms only fall.
  private func upperSum(from count: Int) -> Double {
    var term = probability(of: count)
    var sum = term
    let odds = probability / (1 - probability)
    for k in count..<trials where term > sum * 0x1p-60 {
      term *= Double(trials - k) / Double(k + 1) * odds
      sum += term
    }
    return min(sum, 1)
  }

  /// ln(n!) minus Stirling's approximation of it, for a whole n of 1 or more.
  private static func stirlingError(_ n: Double) -> Double {
    if n < 16 {
      return lgamma(n + 1) - (n + 0.5) * log(n) + n - 0.5 * log(2 * .pi)
    }
    let square = n * n
    return
      (1 / 12.0
      - (1 / 360.0 - (1 / 1260.0 - (1 / 1680.0 - 1 / 1188.0 / square) / square) / square)
        / square)
      / n
  }

  /// x · ln(x / mean) + mean − x, without cancellation where both are close.
  private static func deviance(_ x: Double, _ mean: Double) -> Double {
    guard abs(x - mean) < 0.1 * (x + mean) else { return x * log(x / mean) + mean - x }
    let ratio = (x - mean) / (x + mean)
    var sum = (x - mean) * ratio
    var term = 2 * x * ratio
    for index in 1..<1000 {
      term *= ratio * ratio
      let next = sum + term / Double(2 * index + 1)
      if next == sum { return next }
      sum = next
    }
    return sum
  }
}
