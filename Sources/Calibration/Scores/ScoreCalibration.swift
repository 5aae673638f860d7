package import Platform
package import Records

/// How one kind of score is turned into probabilities, and the results on held-out folds.
package struct ScoreCalibration: Sendable, Hashable, Codable {
  /// A method that was tried.
  package struct Attempt: Sendable, Hashable, Codable {
    /// The method's word.
    package var method: String
    /// Of held-out probabilities, in nats; nil where the method has no fit.
    @Nullable package var negativeLogLikelihood: Double?
    /// Why there is no fit; nil where there is one.
    @Nullable package var reason: String?
  }

  /// The mean fall of the negative log-likelihood of a case, in nats.
  package struct Gain: Sendable, Hashable, Codable {
    /// On held-out folds; below 0 where the map predicts worse than the scores as they came.
    package var value: Double
    /// Where it lies, by the spread between clusters.
    package var interval: Interval

    /// Whether the interval lies above 0.
    package var isShown: Bool { (interval.low ?? -1) > 0 }
  }

  /// The word for what is calibrated.
  package var of: String
  /// The map that is fitted to all cases.
  package var calibrator: Calibrator
  /// How many scores there are.
  package var cases: Int
  /// Weight of the positive ones.
  package var positives: Double
  /// Subjects, else videos, else stills that they come from.
  package var clusters: Int
  /// How many folds of whole clusters were held out, one at a time.
  package var folds: Int
  /// The scores as they came; nil where some are no probabilities.
  @Nullable package var before: CalibrationMetrics?
  /// The held-out probabilities.
  package var after: CalibrationMetrics
  /// By how much the negative log-likelihood falls on held-out folds; nil where scores are no probabilities.
  package var gain: Gain?
  /// All methods that were tried, in their order.
  package var attempts: [Attempt]

  /// What is calibrated; nil where the word is none.
  package var kind: ScoreKind? { ScoreKind(rawValue: of) }
}

/// The word for a method, or for the best of all.
package enum CalibrationChoice: String, Sendable, CaseIterable {
  case auto, platt, temperature, isotonic, beta, histogram

  /// The methods that are tried.
  var methods: [CalibrationMethod] {
    CalibrationMethod(rawValue: rawValue).map { [$0] } ?? CalibrationMethod.allCases
  }
}
