internal import Statistics

/// A confidence in [0, 1] with what came of it: 1 for true, 0 for false, or a degree between.
package struct ConfidenceOutcome: Sendable, Hashable {
  /// What was claimed, in [0, 1].
  package let confidence: Double
  /// What came of it, in [0, 1].
  package let outcome: Double

  /// Pairs a claim with its outcome; nil where either is NaN or outside [0, 1].
  package init?(_ confidence: Double, outcome: Double) {
    guard (0...1).contains(confidence), (0...1).contains(outcome) else { return nil }
    self.confidence = confidence
    self.outcome = outcome
  }

  /// Pairs a claim with whether it was true; nil where the claim is NaN or outside [0, 1].
  package init?(_ confidence: Double, isTrue: Bool) {
    self.init(confidence, outcome: isTrue ? 1 : 0)
  }
}

extension [ConfidenceOutcome] {
  /// Mean of −ln of the probability given to what happened, in nats; 0 or more, nil for none.
  ///
  /// Confidences are first clipped to [2⁻⁵², 1 − 2⁻⁵²], as scikit-learn's `log_loss` does.
  package var negativeLogLikelihood: Double? {
    guard !isEmpty else { return nil }
    let sum = reduce(0) { sum, evaluated in
      sum - evaluated.outcome * LogisticFit.logOf(evaluated.confidence)
        - (1 - evaluated.outcome) * LogisticFit.logOf(1 - evaluated.confidence)
    }
    return sum / Double(count)
  }
}

extension ConfidenceOutcome: Packable {
  package func pack(into row: inout RowWriter) { row.write(confidence, outcome) }

  package init(from row: inout RowReader) {
    confidence = row.read()
    outcome = row.read()
  }
}
