import Metrics
import Statistics

/// A classifier's output for one sample: one probability per class, with the true class.
struct ClassProbabilities: Sendable, Hashable {
  /// The largest probability, and whether its class is the true one; of equal ones the first counts.
  let top: ConfidenceOutcome
  /// Sum over classes of (probability − truth)²; in [0, 2] where the probabilities sum to 1.
  let brier: Double
  /// −ln of the true class's probability, clipped to [2⁻⁵², 1 − 2⁻⁵²]; in nats.
  let negativeLogLikelihood: Double

  /// Scores one sample; nil for a class that is not there, and a probability not in [0, 1].
  init?(_ probabilities: [Double], trueClass: Int) {
    guard probabilities.indices.contains(trueClass),
      probabilities.allSatisfy((0...1).contains),
      let highest = probabilities.max(), let best = probabilities.firstIndex(of: highest),
      let top = ConfidenceOutcome(highest, isTrue: best == trueClass)
    else { return nil }
    self.top = top
    brier = probabilities.enumerated().reduce(0) { sum, entry in
      let gap = entry.element - (entry.offset == trueClass ? 1 : 0)
      return sum + gap * gap
    }
    negativeLogLikelihood = -LogisticFit.logOf(probabilities[trueClass])
  }
}

extension [ClassProbabilities] {
  /// Share of samples whose most probable class is the true one; nil for none.
  var accuracy: Double? { mean(\.top.outcome) }
  /// Brier score of several classes, in [0, 2]; nil for none.
  var brierScore: Double? { mean(\.brier) }
  /// Mean −ln of the true class's probability, in nats; nil for none.
  var negativeLogLikelihood: Double? { mean(\.negativeLogLikelihood) }

  private func mean(_ value: (ClassProbabilities) -> Double) -> Double? {
    isEmpty ? nil : reduce(0) { $0 + value($1) } / Double(count)
  }
}
