internal import Foundation

/// The result of the pairs for one stage: how much longer it takes, how surely, and whether that is
/// allowed.
///
/// For a stage, estimate, bounds and limit are logarithms of ratios; for a percentile of the tail they are
/// differences as a share of the base's percentile.
package struct RelativeFinding: Sendable, Hashable {
  /// The outcome.
  package enum Verdict: String, Sendable {
    /// The slow-down is smaller than the tolerance.
    case pass
    /// It is larger.
    case fail
    /// The pairs do not tell.
    case inconclusive
  }

  /// Name of the stage, followed by the percentile for a tail.
  package let stage: String
  /// How many pairs there are.
  package let pairs: Int
  /// The percentile of a tail; nil for a stage.
  package var percent: Int?
  /// The base's median, or percentile, in nanoseconds.
  package var baseNanoseconds: Double
  /// The candidate's, in nanoseconds.
  package var candidateNanoseconds: Double
  /// The median of the log ratios, or the relative difference of percentiles.
  package let estimate: Double
  /// Hodges and Lehmann's estimate, in addition to the median; nil for a tail.
  package let hodgesLehmann: Double?
  /// Lower bound of the interval.
  package let low: Double
  /// Upper bound of the interval.
  package let high: Double
  /// The noise of the estimate, from the base against itself.
  package let sigma: Double
  /// The slow-down that was asked to be allowed, as a share.
  package let asked: Double
  /// δ, the slow-down that is allowed, as a share: more than what was asked where noise is.
  package let tolerance: Double
  /// The tolerance on the scale of the estimate.
  package let limit: Double
  /// One-sided chance of such pairs if the slow-down were no more than the tolerance: of Student's t for the distance
  /// of the estimate from the limit in standard errors of the bootstrap.
  package let p: Double
  /// The same over all stages that are evaluated together; nil where this one is not evaluated.
  package var adjustedP: Double?
  /// Why it is not evaluated; nil where it is.
  package var untestedReason: String?
  /// Whether it is not evaluated because of too few pairs.
  package var lacksPairs = false
  /// Whether a gate asks for it by name: a tail then decides as a stage does.
  package var isAsked = false
  /// Whether noise allows so much that passing would say little of what was asked.
  package private(set) var isTooNoisy = false
  /// The verdict; nil where it is not evaluated.
  package private(set) var verdict: Verdict?

  /// Whether more pairs may change the outcome; never for a tail that no gate asks for, which may stay inconclusive.
  package var isOpen: Bool { isDecisive && (lacksPairs || verdict == .inconclusive) }

  /// Whether an inconclusive verdict of it makes the whole inconclusive.
  package var isDecisive: Bool { percent == nil || isAsked }

  /// The slow-down as a share of the base's time: 0.1 is 10 % longer.
  package var slowDown: Double { share(estimate) }
  /// Lower bound of the slow-down, as a share.
  package var lowSlowDown: Double { share(low) }
  /// Upper bound of the slow-down, as a share.
  package var highSlowDown: Double { share(high) }

  private func share(_ value: Double) -> Double { percent == nil ? exp(value) - 1 : value }

  /// Fails where the lower bound lies above the limit, evaluated by the adjusted p; passes where the upper lies below,
  /// evaluated by p, unless noise allows more than `maxWidening` times what was asked and would bring the upper bound
  /// above that.
  mutating func decide(mayErr share: Double, maxWidening: Double) {
    let worst = high + (percent == nil ? log(1 + tolerance) : tolerance)
    isTooNoisy =
      tolerance > maxWidening * asked && worst >= (percent == nil ? log(1 + asked) : asked)
    verdict =
      if low > limit, (adjustedP ?? p) <= share {
        .fail
      } else if !isTooNoisy, high < limit, 1 - p <= share {
        .pass
      } else {
        .inconclusive
      }
  }

  /// The verdict over all: a failure decides, then a stage that is inconclusive.
  ///
  /// A tail that is inconclusive decides nothing; without any stage that was evaluated nothing is decided.
  package static func overall(_ findings: [RelativeFinding]) -> Verdict {
    if findings.contains(where: { $0.verdict == .fail }) { return .fail }
    let stages = findings.filter(\.isDecisive).compactMap(\.verdict)
    return stages.isEmpty || stages.contains(.inconclusive) ? .inconclusive : .pass
  }
}
