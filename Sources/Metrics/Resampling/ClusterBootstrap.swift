internal import Dispatch
internal import Foundation
package import Records
internal import Synchronization

/// Percentile intervals from resampling clusters of frames with replacement, multiplicities kept.
///
/// Draw `r` of a seed is the same whatever else runs, so that the same input gives the same bytes on
/// any number of cores. Ends are the (1 − level) / 2 and (1 + level) / 2 quantiles of the resampled
/// figures, straight between neighbours (Hyndman and Fan's type 7), as `scipy.stats.bootstrap` has
/// them with `method="percentile"`.
///
/// Source: Efron and Tibshirani 1993, chapter 13; Davison and Hinkley 1997, section 3.8 for clusters.
package struct ClusterBootstrap: Sendable, Hashable {
  /// How many resamples are drawn; 0 means no intervals.
  package var resamples: Int
  /// Where the draws start.
  package var seed: UInt64
  /// The stated probability, in (0, 1).
  package var level: Double

  /// Under so many clusters there is no interval.
  package static let leastClusters = 10
  /// A figure that is undefined in a larger share of the resamples has no interval.
  package static let mostUndefined = 0.05

  /// Plans resampling.
  package init(resamples: Int = 1000, seed: UInt64 = 1, level: Double = 0.95) {
    self.resamples = resamples
    self.seed = seed
    self.level = level
  }

  /// How often each of some clusters is in a draw.
  package func copies(ofDraw draw: Int, clusters: Int) -> [Int] {
    var copies = [Int](repeating: 0, count: clusters)
    var generator = SplitMix64(seed: seed, draw: draw)
    for _ in 0..<clusters { copies[Int.random(in: 0..<clusters, using: &generator)] += 1 }
    return copies
  }

  /// The results of some draws in their order, computed side by side.
  package func results<Result: Sendable>(
    ofDraws draws: Range<Int>, _ result: @Sendable (_ draw: Int) -> Result
  ) -> [Result] {
    let results = Mutex<[Int: Result]>([:])
    DispatchQueue.concurrentPerform(iterations: draws.count) { index in
      let one = result(draws.lowerBound + index)
      results.withLock { $0[index] = one }
    }
    return results.withLock { results in results.sorted { $0.key < $1.key }.map(\.value) }
  }

  /// The plain percentile interval of values in the resamples; nil stands for an undefined one.
  ///
  /// Of few clusters it is too narrow, and it need not hold the metric's value: `interval(of:about:in:sizes:)` is for
  /// metrics. `clusters` is how many of them the figure rests on. Without enough of them, or where too many values
  /// are undefined or any is infinite, there is none, and a reason.
  package func interval(of values: [Double?], clusters: Int) -> Interval {
    if let reason = reasonForNone(values, clusters: clusters) { return .none(reason) }
    let sorted = values.compactMap { $0 }.sorted()
    return Interval(
      low: Self.quantile((1 - level) / 2, ofSorted: sorted),
      high: Self.quantile((1 + level) / 2, ofSorted: sorted), level: level,
      method: method(clusters: clusters))
  }

  /// Why values in the resamples give no interval; nil where they do.
  func reasonForNone(_ values: [Double?], clusters: Int) -> String? {
    guard resamples > 0, !values.isEmpty else { return "no resamples were drawn" }
    guard clusters >= Self.leastClusters else { return Self.tooFew(clusters) }
    let undefined = values.count { $0 == nil }
    guard Double(undefined) <= Self.mostUndefined * Double(values.count) else {
      return "the figure is undefined in \(undefined) of \(values.count) resamples"
    }
    let isFinite = values.allSatisfy { $0?.isFinite ?? true }
    return isFinite ? nil : "the figure is infinite in some resamples"
  }

  /// Why there is no interval of a figure that rests on too few clusters.
  package static func tooFew(_ clusters: Int) -> String {
    "\(clusters == 1 ? "1 cluster" : "\(clusters) clusters") of frames (subjects, videos or stills), "
      + "\(leastClusters) are needed"
  }

  /// How the intervals were made.
  package func method(clusters: Int) -> String {
    "\(Interval.percentileBootstrap) of \(clusters) clusters, \(resamples) resamples, seed \(seed)"
  }

  /// A quantile of ascending numbers, straight between neighbours; there is at least one.
  package static func quantile(_ share: Double, ofSorted sorted: [Double]) -> Double {
    let place = share * Double(sorted.count - 1)
    let below = Int(place.rounded(.down))
    let above = min(below + 1, sorted.count - 1)
    return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
  }
}
