internal import Foundation
internal import Metrics
internal import Platform
internal import Records

/// Where the metric of a setting lies that was picked on the same data.
///
/// The bootstrap standard error on a stretched scale, as many times as Student's t has it for the effective
/// number of clusters, about the value less the optimism of the choice: the mean amount by which the
/// choice of a resample looks better there than on all data (Efron 1983). A share that is 0 or 1 in every
/// resample has the exact bound of so many clusters (Clopper and Pearson 1934).
struct ChosenInterval {
  let bootstrap: ClusterBootstrap
  let clusters: ClusterSizes

  /// Pseudo-cases a cluster, for `MetricScale.weight`.
  private static let casesPerCluster = 10.0

  /// The interval of a value from its resampled ones at the same setting; nil stands for undefined.
  ///
  /// `optimism` is in the metric's own direction: what is subtracted from the value.
  func interval(
    of value: Double?, draws: [Double?], optimism: Double, kind: MetricScale.Kind
  ) -> Interval {
    let plain = bootstrap.interval(of: draws, sizes: clusters)
    guard plain.low != nil else { return plain }
    guard let value else { return .none("the metric is undefined on all data") }
    let tail = (1 - bootstrap.level) / 2
    guard let reach = clusters.reach(1 - tail) else {
      return .none(
        "one cluster outweighs the others: they count as \(clusters.effective.shortText()) of "
          + "equal size")
    }
    let scale = MetricScale(kind: kind, weight: Self.casesPerCluster * clusters.effective)
    let known = draws.compactMap { $0 }
    let error = scale.standardError(known)
    if error == 0, kind == .share, value <= 0 || value >= 1 {
      let bound = pow(tail, 1 / clusters.effective)
      return Interval(
        low: value >= 1 ? bound : 0, high: value >= 1 ? 1 : 1 - bound, level: bootstrap.level,
        method: "exact bound of \(described), all of which agree")
    }
    if kind == .amount {
      let zeros = known.count { $0 == 0 }
      guard Double(zeros) <= tail * Double(known.count) else {
        return .none("too few events: the metric is 0 in \(zeros) of \(known.count) resamples")
      }
    }
    guard error > 0 else {
      return Interval(
        low: value - optimism, high: value - optimism, level: bootstrap.level,
        method: "the same in all resamples of \(described)")
    }
    let middle = scale.stretched(value - optimism)
    var low = scale.value(ofStretched: middle - reach * error)
    var high = scale.value(ofStretched: middle + reach * error)
    if kind == .share {
      if value >= 1 { high = 1 }
      if value <= 0 { low = 0 }
    }
    (low, high) = (min(low, high), max(low, high))
    return Interval(
      low: low, high: high, level: bootstrap.level,
      method: "bootstrap standard error by Student's t, "
        + "less the optimism of the choice, of \(described), \(bootstrap.resamples) resamples, "
        + "seed \(bootstrap.seed)")
  }

  /// Whether a difference cannot be told from 0; not where it has no interval.
  func holdsZero(for value: Double?, draws: [Double?], optimism: Double = 0) -> Bool {
    let interval = interval(of: value, draws: draws, optimism: optimism, kind: .plain)
    guard let low = interval.low, let high = interval.high else { return false }
    return low <= 0 && high >= 0
  }

  /// The same at a level at which so many intervals hold together (Bonferroni).
  func shared(among count: Int) -> ChosenInterval {
    var bootstrap = bootstrap
    bootstrap.level = 1 - (1 - bootstrap.level) / Double(max(1, count))
    return ChosenInterval(bootstrap: bootstrap, clusters: clusters)
  }

  private var described: String {
    let effective = clusters.effective.shortText()
    return "\(clusters.count) \(clusters.unit)"
      + (effective == "\(clusters.count)" ? "" : " (worth \(effective) of equal size)")
  }
}
