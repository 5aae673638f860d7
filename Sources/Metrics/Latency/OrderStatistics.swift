internal import Foundation
internal import Statistics

/// Intervals of percentiles between two of the samples, without a word on how samples are distributed.
///
/// Of n independent samples the number at or below the p-quantile is binomial, Bin(n, p), so that the sample of
/// rank l lies above it with probability P(Bin ≤ l − 1) and that of rank u lies below it with P(Bin ≥ u). The
/// ranks are the closest ones whose two probabilities are at most (1 − level) / 2 each. David and Nagaraja,
/// Order Statistics, 2003, section 7.1. Samples that depend on their neighbours, as slow frames in a row do, make
/// the interval too narrow: `PercentileInterval` is for those.
package enum OrderStatistics {
  /// The ranks, counted from 1, between which the percentile lies; nil where there are too few samples.
  package static func ranks(
    ofPercentile percent: Int, count: Int, level: Double = 0.95
  ) -> ClosedRange<Int>? {
    guard 1...99 ~= percent, count > 0, level > 0, level < 1 else { return nil }
    let below = BinomialDistribution(trials: count, probability: Double(percent) / 100)
    let tail = (1 - level) / 2
    // The largest l with P(Bin ≤ l − 1) ≤ tail, and the smallest u with P(Bin ≥ u) ≤ tail.
    let lower = (0..<count + 1).partitioningIndex { below.probability(atMost: $0) > tail }
    let upper = (0..<count + 1).partitioningIndex { below.probability(atLeast: $0) <= tail }
    guard lower >= 1, lower <= count, upper <= count else { return nil }
    return lower...upper
  }

  /// The least n with an interval: p^n and (1 − p)^n are both at most (1 − level) / 2.
  package static func samplesNeeded(forPercentile percent: Int, level: Double = 0.95) -> Int {
    let rarest = max(percent, 100 - percent)
    return Int((log((1 - level) / 2) / log(Double(rarest) / 100)).rounded(.up))
  }
}
