internal import Foundation

/// How many times as long a stage takes in one run than in another, from medians over a reference in each run.
///
/// Other load on the machine in one of the runs affects the ratio but not the interval, except for the part that the
/// reference removes. Bounds are by the normal law from block-bootstrap variances, not by pairs.
package struct SeparateRatio: Sendable, Hashable {
  /// Logarithm of the ratio of normalised medians; 0 means no difference.
  package let estimate: Double
  /// Lower bound of the interval.
  package let low: Double
  /// Upper bound of the interval.
  package let high: Double

  /// Compares times in nanoseconds in the order of measuring; nil where a run has none, or no reference.
  package init?(
    base: [Int64], baseReference: Double, candidate: [Int64], candidateReference: Double,
    bootstrap: BlockBootstrap = BlockBootstrap(),
    using generator: inout some RandomNumberGenerator
  ) {
    guard !base.isEmpty, !candidate.isEmpty, baseReference > 0, candidateReference > 0 else {
      return nil
    }
    var (estimate, variance) = (log(baseReference / candidateReference), 0.0)
    for (times, sign) in [(base, -1.0), (candidate, 1.0)] {
      let logs = times.map { log(Double(max($0, 1))) }
      let draws = bootstrap.medians(of: logs, using: &generator)
      variance += draws.sampleVariance
      estimate += sign * (PairedRatios.median(of: logs) ?? 0)
    }
    self.estimate = estimate
    low = estimate - 1.959964 * variance.squareRoot()
    high = estimate + 1.959964 * variance.squareRoot()
  }
}
