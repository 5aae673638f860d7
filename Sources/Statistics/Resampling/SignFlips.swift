/// Which clusters of frames change sides in a paired permutation test, permutation after permutation.
///
/// Under the hypothesis that two runs do not differ, each cluster's two results could as well be
/// swapped. All 2ᵏ assignments are taken where they are not more than asked for, else random ones.
///
/// Source: Good 2005, Permutation, Parametric and Bootstrap Tests, section 3.7;
/// `scipy.stats.permutation_test` with `permutation_type="samples"`.
package struct SignFlips: Sendable, Hashable {
  /// How many permutations there are.
  package let count: Int
  /// Whether they are all that exist.
  package let areAll: Bool
  private let clusters: Int
  private let seed: UInt64

  /// Plans at most this many permutations of some clusters.
  package init(clusters: Int, atMost limit: Int, seed: UInt64) {
    self.clusters = clusters
    self.seed = seed
    areAll = clusters < 30 && 1 << clusters <= limit
    count = areAll ? 1 << clusters : limit
  }

  /// The smallest two-sided p that a difference can have.
  package var leastP: Double { areAll ? min(1, 2 / Double(count)) : 1 / Double(count + 1) }

  /// Whether each cluster is swapped.
  package func swaps(ofPermutation permutation: Int) -> [Bool] {
    if areAll { return (0..<clusters).map { permutation >> $0 & 1 == 1 } }
    var generator = SplitMix64(seed: ~seed, draw: permutation)
    return (0..<clusters).map { _ in Bool.random(using: &generator) }
  }

  /// The two-sided p of a difference by the permuted ones; undefined ones count as no less extreme.
  ///
  /// Of random permutations (b + 1) / (m + 1), which is never 0. Differences that differ by no more than `rounding`, or by
  /// that of their own last digits, are equal: sums of another order must not make the observed one the only one of its size.
  package func p(of difference: Double, permuted: [Double?], rounding: Double = 0) -> Double? {
    guard !permuted.isEmpty else { return nil }
    let limit = abs(difference) * (1 - 1e-12) - rounding
    let extreme = permuted.count { $0.map { abs($0) >= limit } ?? true }
    return areAll
      ? Double(extreme) / Double(permuted.count)
      : Double(extreme + 1) / Double(permuted.count + 1)
  }
}
