internal import Foundation
internal import Metrics
internal import Profiling

extension TrackerRun.Summary {
  /// How many times as long as another tracker this one takes for a frame: the median and its 95 % interval.
  ///
  /// From ln of the ratio frame by frame, in blocks of 16 frames that both analysed; nil where there are none.
  package func ratio(
    to other: TrackerRun.Summary
  ) -> (median: Double, low: Double, high: Double)? {
    let pairs = zip(other.timed, timed).compactMap { base, own in
      base.flatMap { base in own.map { (base, $0) } }
    }
    let ratios = PairedRatios(base: pairs.map(\.0), candidate: pairs.map(\.1))
    var generator = SplitMix64(seed: 1)
    guard let median = ratios.median,
      let bounds = BlockBootstrap().interval(of: ratios.values, level: 0.95, using: &generator)
    else { return nil }
    return (exp(median), exp(bounds.low), exp(bounds.high))
  }
}
