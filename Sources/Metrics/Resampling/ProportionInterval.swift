internal import Foundation
package import Records
internal import Statistics

/// The interval of a proportion from its counts in each cluster, which also holds at 0 and at 1.
///
/// Clopper and Pearson's exact binomial bounds, not of the n observations but of as many independent ones as they
/// are worth: p (1 − p) over the variance of p between clusters, times (z / t)² for that variance being estimated, t
/// with one degree of freedom less than the clusters are worth, and not more than clusters share in the variance
/// ((Σ d²)² / Σ d⁴ of their deviations d). Clusters whose observations are all alike are the worst case: it is
/// never less than the clusters are worth by their sizes, which is also what counts at 0 and at 1, where no
/// variance is seen; and never more than n.
///
/// Source: Korn and Graubard 1998, Survey Methodology 24(2); Clopper and Pearson 1934; Satterthwaite 1946 for the
/// degrees of freedom; the lower limit is ours (plain Korn and Graubard bounds of few clusters that differ by a lot
/// hold a share of 0.98 in 33 to 99 % of samples).
package struct ProportionInterval: Sendable, Hashable {
  private var parts: [Double] = []
  private var wholes: [Double] = []

  /// Starts without clusters.
  package init() {}

  /// Adds a cluster's share and the n that it is of; a cluster without any does not count.
  package mutating func add(share: Double, of n: Double) {
    guard n > 0 else { return }
    parts.append(share * n)
    wholes.append(n)
  }

  /// The share over all clusters; nil without any.
  package var share: Double? {
    wholes.isEmpty ? nil : parts.reduce(0, +) / wholes.reduce(0, +)
  }

  /// How many independent observations they are worth; nil without clusters.
  package func effectiveCount(level: Double) -> Double? {
    guard let share else { return nil }
    let sizes = ClusterSizes(wholes)
    let n = wholes.reduce(0, +)
    var (squares, fourths) = (0.0, 0.0)
    for (part, whole) in zip(parts, wholes) {
      let square = (part - share * whole) * (part - share * whole)
      squares += square
      fourths += square * square
    }
    guard sizes.count > 1, share > 0, share < 1, squares > 0, fourths > 0 else {
      return sizes.effective
    }
    let clusters = Double(sizes.count)
    let variance = clusters / (clusters - 1) * squares / (n * n)
    let freedom = max(1, min(sizes.effective - 1, squares * squares / fourths))
    let tail = (1 - level) / 2
    let caution =
      StudentT.normalDistance(beyond: tail) / StudentT.distance(beyond: tail, freedom: freedom)
    let worth = share * (1 - share) / variance * caution * caution
    return min(max(worth, sizes.effective), n)
  }

  /// The interval; without enough clusters none, and a reason.
  package func interval(level: Double = 0.95) -> Interval {
    guard wholes.count >= ClusterBootstrap.minClusters, let share,
      let worth = effectiveCount(level: level)
    else { return .none(ClusterBootstrap.tooFew(wholes.count)) }
    return Self.interval(share: share, worth: worth, clusters: wholes.count, level: level)
  }

  /// The exact bounds of a share of so many independent observations, which need not be a whole number.
  static func interval(share: Double, worth: Double, clusters: Int, level: Double) -> Interval {
    let tail = (1 - level) / 2
    let (yes, no) = (share * worth, (1 - share) * worth)
    let low = yes > 0 ? BetaDistribution(a: yes, b: no + 1).quantile(tail) : 0
    let high = no > 0 ? BetaDistribution(a: yes + 1, b: no).quantile(1 - tail) : 1
    return Interval(
      low: min(low, share), high: max(high, share), level: level,
      method: "Clopper-Pearson of \(clusters) clusters, worth "
        + "\(String(format: "%.1f", worth)) independent observations")
  }
}
