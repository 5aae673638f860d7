internal import Foundation
package import Records
internal import Statistics

/// Intervals of percentiles of times of which those of a cluster of frames, such as a video, are alike.
///
/// Its ends are the times at the ranks that bound the share of times up to the percentile, by `ProportionInterval`: it
/// knows how much the share differs from cluster to cluster. Of independent times they are those of order statistics.
/// No time of few clusters may be as slow as the percentile of all: the upper end is not less than
/// value · e^(t · s · √(1 / k + z² / (2 (k − 1)))), how far the percentile z of a normal distribution of k clusters' log
/// times may lie, of which s is the standard deviation.
///
/// k is how many clusters of equal size they are worth, t is Student's with k − 1 degrees of freedom, s² is the
/// component between clusters of a one-way analysis of variance.
///
/// A single clip is cut into ten stretches of as many frames, which take the place of clusters. They are independent
/// where a stretch is longer than slow frames follow one another, and say nothing of other clips.
///
/// Source: Woodruff 1952 for bounds by ranks, with those of Korn and Graubard 1998; Hahn and Meeker 1991 for
/// percentiles of a normal distribution; Searle, Casella and McCulloch 1992, section 3.6 for s; Schmeiser 1982 for
/// ten stretches (batches). Coverage by simulation: `PercentileCoverageTests`.
package struct PercentileInterval: Sendable {
  /// So many stretches of a single clip stand for clusters.
  package static let stretches = FrameClusters.stretches
  /// At least so many of a hundred times the clusters lie beyond a percentile that has an interval.
  private static let minHundredthsBeyond = 50

  /// Ascending, with the cluster of each.
  private let sorted: [(nanoseconds: Int64, cluster: Int)]
  /// How many times each cluster has.
  private let counts: [Double]
  private let isOneClip: Bool
  private let sizes: ClusterSizes
  /// Standard deviation of log times between clusters.
  private let spread: Double

  /// Takes times in the order of their frames, each with its cluster.
  package init(_ times: [(nanoseconds: Int64, cluster: Int)]) {
    let isOneClip = !times.contains { $0.cluster != times[0].cluster }
    var numbers: [Int: Int] = [:]
    var (counts, sums) = ([Double](), [Double]())
    var own: [(nanoseconds: Int64, cluster: Int)] = []
    own.reserveCapacity(times.count)
    var squares = 0.0
    for (position, time) in times.enumerated() {
      let key = isOneClip ? position * Self.stretches / times.count : time.cluster
      let cluster = numbers[key] ?? counts.count
      if cluster == counts.count {
        numbers[key] = cluster
        counts.append(0)
        sums.append(0)
      }
      let logarithm = log(Double(max(time.nanoseconds, 1)))
      counts[cluster] += 1
      sums[cluster] += logarithm
      squares += logarithm * logarithm
      own.append((time.nanoseconds, cluster))
    }
    own.sort { $0.nanoseconds < $1.nanoseconds }
    sorted = own
    self.counts = counts
    self.isOneClip = isOneClip
    sizes = ClusterSizes(counts)
    spread = Self.spread(counts, sums, squares)
  }

  /// The square root of the component of variance between clusters; 0 where it is none, or there is one cluster.
  private static func spread(_ counts: [Double], _ sums: [Double], _ power: Double) -> Double {
    let (n, clusters) = (counts.reduce(0, +), Double(counts.count))
    guard clusters > 1, n > clusters else { return 0 }
    let mean = sums.reduce(0, +) / n
    var (between, within) = (0.0, power)
    for (sum, count) in zip(sums, counts) {
      between += count * (sum / count - mean) * (sum / count - mean)
      within -= sum * sum / count
    }
    let squares = counts.reduce(0.0) { $0 + $1 * $1 }
    let size = (n - squares / n) / (clusters - 1)
    let component = (between / (clusters - 1) - within / (n - clusters)) / size
    return max(component, 0).squareRoot()
  }

  /// The interval of a percentile in milliseconds; where there is none, the reason.
  package func interval(ofPercentile percent: Int, level: Double = 0.95) -> Interval {
    let needs = max(
      OrderStatistics.samplesNeeded(forPercentile: percent, level: level),
      isOneClip ? Self.stretches : 0)
    guard sorted.count >= needs else {
      return .none(
        "an interval of p\(percent) needs \(needs) samples, there are \(sorted.count)")
    }
    if let reason = reasonForNone(ofPercentile: percent) { return .none(reason) }
    let value = sorted[NearestRank.rank(percent, of: sorted.count) - 1].nanoseconds
    var parts = [Double](repeating: 0, count: counts.count)
    for time in sorted {
      guard time.nanoseconds <= value else { break }
      parts[time.cluster] += 1
    }
    var below = ProportionInterval()
    for (part, count) in zip(parts, counts) { below.add(share: part / count, of: count) }
    let bounds = below.interval(level: level)
    guard let low = bounds.low, let high = bounds.high else { return bounds }
    let n = Double(sorted.count)
    let ranks = (
      low: max(Int((n * low).rounded(.down)), 1),
      high: min(Int((n * high).rounded(.up)), sorted.count)
    )
    let factor = exp(reach(ofPercentile: percent, level: level))
    return Interval(
      low: Double(sorted[ranks.low - 1].nanoseconds) / 1e6,
      high: max(Double(sorted[ranks.high - 1].nanoseconds), Double(value) * factor) / 1e6,
      level: level,
      method: "ranks by Clopper-Pearson and log-normal differences of \(described)")
  }

  /// How far the logarithm of a percentile may lie from its own, by the differences of the clusters.
  private func reach(ofPercentile percent: Int, level: Double) -> Double {
    let freedom = sizes.effective - 1
    let z = StudentT.normalDistance(beyond: Double(min(percent, 100 - percent)) / 100)
    return StudentT.distance(beyond: (1 - level) / 2, freedom: freedom) * spread
      * (1 / sizes.effective + z * z / (2 * freedom)).squareRoot()
  }

  private func reasonForNone(ofPercentile percent: Int) -> String? {
    if sizes.count < ClusterBootstrap.minClusters { return ClusterBootstrap.tooFew(sizes.count) }
    if sizes.effective < ClusterBootstrap.minEffectiveClusters {
      return ClusterBootstrap.tooUnequal(sizes)
    }
    let rarest = min(percent, 100 - percent)
    guard !isOneClip, rarest * sizes.count < Self.minHundredthsBeyond else { return nil }
    let needs = (Self.minHundredthsBeyond + rarest - 1) / rarest
    return "an interval of p\(percent) needs \(needs) clusters of frames, there are \(sizes.count)"
  }

  private var described: String {
    isOneClip
      ? "\(Self.stretches) stretches, \(Interval.thisClipOnly)"
      : "\(sizes.count) clusters"
        + (sizes.effective < Double(sizes.count) - 0.05
          ? " worth \(String(format: "%.1f", sizes.effective))" : "")
  }
}
