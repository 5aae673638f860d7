package import Metrics

/// How well probabilities fit the outcomes; each case counts once, regardless of its weight.
package struct CalibrationMetrics: Sendable, Hashable, Codable {
  /// ECE over ten bins of equal width, less what chance adds, in [0, 1].
  package let expectedError: Double
  /// Mean squared difference of probability and outcome, in [0, 1].
  package let brierScore: Double
  /// Mean negative log-likelihood, in nats.
  package let negativeLogLikelihood: Double

  /// Scores some confidences; nil for none.
  package init?(_ evaluated: [ConfidenceOutcome]) {
    let bins = ReliabilityBins(evaluated, equalWidth: 10)
    guard let expectedError = ExpectedCalibrationError(bins)?.value, let brier = BrierScore(bins),
      let likelihood = evaluated.negativeLogLikelihood
    else { return nil }
    self.expectedError = expectedError
    brierScore = brier.score
    negativeLogLikelihood = likelihood
  }
}

/// Every case calibrated by a map that never saw its cluster, and what that changed.
package struct CrossFit: Sendable, Hashable {
  /// The held-out probability of each case, in the order of the cases.
  package let calibrated: [Double]
  /// The map that was fitted without each fold.
  package let calibrators: [Calibrator]
  /// Scores as they came, on the same cases; nil where some are no probabilities.
  package let before: CalibrationMetrics?
  /// Held-out probabilities.
  package let after: CalibrationMetrics

  /// Fits a method once per fold; throws with the fold's name if one cannot be fitted.
  ///
  /// All cases need a weight above 0.
  package init(
    _ method: CalibrationMethod, cases: [ScoredCase], folds: ClusterFolds
  ) throws(CalibrationError) {
    var positions: [Int] = []
    for (index, one) in cases.enumerated() {
      guard let fold = folds.fold(of: one.cluster) else {
        throw .uncrossed("the cluster \(one.cluster) of case \(index + 1) is in no fold")
      }
      guard one.weight > 0 else {
        throw .uncrossed("expected a weight above 0 in case \(index + 1), found \(one.weight)")
      }
      positions.append(fold)
    }
    var calibrators: [Calibrator] = []
    for fold in 0..<folds.count {
      let seen = zip(cases, positions).filter { $0.1 != fold }.map(\.0)
      do {
        calibrators.append(try Calibrator(method, fitting: seen))
      } catch {
        throw .uncrossed("without fold \(fold + 1) of \(folds.count): \(error)")
      }
    }
    calibrated = zip(cases, positions).map { calibrators[$1].calibrated($0.score) }
    self.calibrators = calibrators
    func evaluated(_ confidences: [Double]) -> [ConfidenceOutcome] {
      zip(confidences, cases).compactMap { confidence, one in
        ConfidenceOutcome(confidence, outcome: one.positive / one.weight)
      }
    }
    let raw = evaluated(cases.map(\.score))
    before = raw.count == cases.count ? CalibrationMetrics(raw) : nil
    guard let after = CalibrationMetrics(evaluated(calibrated)) else {
      throw .uncrossed("there are no cases")
    }
    self.after = after
  }
}
