package import Records
internal import Statistics

/// How far the worst slice of each property lies from the best, and whether the choice of frames explains it.
///
/// The slices of a property are compared in pairs by a t-test. The standard error of a difference is that of its
/// values in the resamples, which are the same for all slices, times √(k / (k − 1)) of the fewer clusters k; the
/// degrees of freedom are their effective number minus one. Of a metric with a target the distances from it are
/// compared. Holm's adjustment runs over all pairs, properties and metrics, so that the worst and the best slice may
/// be chosen by their values.
///
/// Sources: Holm 1979; Efron and Tibshirani 1993, chapter 6; Hesterberg 2015 for the factor.
package enum SliceGaps {
  /// A metric of a slice with its values in the resamples.
  package struct Sliced: Sendable {
    /// The metric; its slice is of a property.
    package var metric: Measurement
    /// Its values in the resamples; nil where it is undefined.
    package var values: [Double?]
    /// The clusters that it rests on.
    package var sizes: ClusterSizes

    /// Pairs a metric with its resamples.
    package init(_ metric: Measurement, values: [Double?], sizes: ClusterSizes) {
      self.metric = metric
      self.values = values
      self.sizes = sizes
    }
  }

  /// The worst and the best slice of a property by one metric.
  package struct Finding: Sendable, Hashable {
    /// The metric in the worst slice.
    package var worst: Measurement
    /// The metric in the best slice.
    package var best: Measurement
    /// The distance of their values, or of how far these lie from the target of the metric, 0 or more.
    package var gap: Double
    /// The bounds of the signed distance, worst against best, at 95 %, for this pair alone.
    package var low, high: Double
    /// Chance of a gap as large if the slices did not differ, after Holm's adjustment.
    package var adjustedP: Double
    /// The gap that a test of this pair shows with a probability of 80 %, by Student's t as the test.
    package var visible: Double
    /// How many observations each of the two slices needs to show the gap with a probability of 80 %; nil for no gap.
    package var needed: Int?

    /// Whether chance does not explain the gap.
    package var isDecisive: Bool { adjustedP <= SliceGaps.significance }

    /// How many observations each of the two slices needs to show another gap with a probability of 80 %.
    package func needed(forGap other: Double) -> Int? {
      guard other > 0, let needed, gap > 0 else { return nil }
      let count = (Double(needed) * (gap / other) * (gap / other)).rounded(.up)
      return count < 1e15 ? Int(count) : nil
    }
  }

  /// The largest adjusted p of a decisive gap.
  package static let significance = 0.05
  /// The probability with which a gap of the needed n is found.
  static let power = 0.8

  private struct Pair {
    var first, second: Sliced
    var difference, error, p: Double
    var freedom: Double
  }

  /// The worst and the best slice of each property and metric, in the order given; pairs that cannot be tested take
  /// no part.
  package static func findings(_ slices: [Sliced]) -> [Finding] {
    var groups: [(key: String, members: [Sliced])] = []
    for slice in slices where slice.metric.better.isDirected {
      guard let dimension = slice.metric.dimensionSlice?.dimension,
        slice.metric.value?.isFinite == true
      else { continue }
      let key = "\(dimension) \(slice.metric.name)"
      if let index = groups.firstIndex(where: { $0.key == key }) {
        groups[index].members.append(slice)
      } else {
        groups.append((key, [slice]))
      }
    }
    let pairs = groups.map { Self.pairs(of: $0.members) }
    let adjusted = MultipleTesting.holm(pairs.joined().map(\.p))
    var next = 0
    return pairs.compactMap { group in
      let own = adjusted[next..<next + group.count]
      next += group.count
      // The largest gap, not the smallest p: that is what the finding is about.
      guard let (pair, p) = zip(group, own).max(by: { abs($0.0.difference) < abs($1.0.difference) })
      else { return nil }
      return finding(pair, adjustedP: p, tests: adjusted.count)
    }
  }

  private static func pairs(of members: [Sliced]) -> [Pair] {
    members.indices.flatMap { first in
      members[(first + 1)...].compactMap { pair(members[first], $0) }
    }
  }

  /// Two slices; nil where their difference cannot be tested.
  private static func pair(_ first: Sliced, _ second: Sliced) -> Pair? {
    let clusters = min(first.sizes.count, second.sizes.count)
    let freedom = min(first.sizes.effective, second.sizes.effective) - 1
    guard let a = first.metric.value, let b = second.metric.value, clusters > 1, freedom >= 1,
      let deviation = ClusterBootstrap.standardError(
        of: zip(first.values, second.values).map { difference($0, $1, of: first.metric) })
    else { return nil }
    let error = deviation * (Double(clusters) / Double(clusters - 1)).squareRoot()
    guard error > 0 else { return nil }
    let gap = first.metric.difference(of: a, from: b)
    let t = gap / error
    let p = BetaDistribution(a: freedom / 2, b: 0.5).probability(
      atMost: freedom / (freedom + t * t))
    return Pair(
      first: first, second: second, difference: gap, error: error, p: p, freedom: freedom)
  }

  private static func difference(
    _ first: Double?, _ second: Double?, of metric: Measurement
  ) -> Double? {
    guard let first, let second, first.isFinite, second.isFinite else { return nil }
    return metric.difference(of: first, from: second)
  }

  private static func finding(_ pair: Pair, adjustedP: Double, tests: Int) -> Finding {
    let isFirstWorse = (pair.difference < 0) == (pair.first.metric.better == .higher)
    let (worst, best) =
      isFirstWorse
      ? (pair.first.metric, pair.second.metric) : (pair.second.metric, pair.first.metric)
    let gap = abs(pair.difference)
    let reach = pair.error * StudentT.distance(beyond: 0.025, freedom: pair.freedom)
    let reachOfTest =
      StudentT.distance(
        beyond: significance / 2 / Double(max(tests, 1)), freedom: pair.freedom)
      + StudentT.distance(beyond: 1 - power, freedom: pair.freedom)
    let (m, n) = (Double(pair.first.metric.n), Double(pair.second.metric.n))
    // The variances of both slices for one observation each, as if their errors grew alike.
    let perObservation: Double = pair.error * pair.error * 2 / (1 / max(m, 1) + 1 / max(n, 1))
    let needed = (perObservation * (reachOfTest / gap) * (reachOfTest / gap)).rounded(.up)
    return Finding(
      worst: worst, best: best, gap: gap, low: gap - reach, high: gap + reach,
      adjustedP: adjustedP, visible: reachOfTest * pair.error,
      needed: needed.isFinite && needed < 1e15 ? Int(needed) : nil)
  }
}
