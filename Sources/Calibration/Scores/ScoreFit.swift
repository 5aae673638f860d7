package import Metrics

/// A calibration of some scores, with the confidences behind its figures.
package struct ScoreFit: Sendable, Hashable {
  /// What is kept.
  package let calibration: ScoreCalibration
  /// The scores as they came with their outcomes; those outside [0, 1] are left out.
  package let before: [JudgedConfidence]
  /// The held-out probabilities with their outcomes.
  package let after: [JudgedConfidence]

  /// Cross-fits a method, or with `auto` the one of least held-out negative log-likelihood.
  ///
  /// Throws where all cases have one outcome, there are fewer clusters than folds, no method has a fit, and
  /// where the best of all predicts no better than the scores as they came.
  package init(
    of what: String, cases: [ScoredCase], by choice: CalibrationChoice = .auto,
    folds count: Int = 5,
    seed: UInt64 = 1
  ) throws(CalibrationError) {
    let subject = "\(what) scores"
    for (index, one) in cases.enumerated() { try one.check(at: index) }
    let positives = cases.reduce(0) { $0 + $1.positive }
    let negatives = cases.reduce(0) { $0 + $1.negative }
    guard positives > 0, negatives > 0 else {
      throw .unfit(
        subject,
        cases.isEmpty
          ? "there are no cases"
          : "all \(cases.count) cases are \(positives > 0 ? "positive" : "negative"), both kinds are "
            + "needed")
    }
    let folds = try ClusterFolds(of: cases.map(\.cluster), folds: count, seed: seed)
    var attempts: [ScoreCalibration.Attempt] = []
    var best: (fit: CrossFit, calibrator: Calibrator)?
    for (word, method) in choice.methods {
      do {
        let fit = try CrossFit(method, cases: cases, folds: folds)
        let calibrator = try Calibrator(method, fitting: cases)
        let loss = fit.after.negativeLogLikelihood
        attempts.append(.init(method: word.rawValue, negativeLogLikelihood: loss, reason: nil))
        if loss < best?.fit.after.negativeLogLikelihood ?? .infinity { best = (fit, calibrator) }
      } catch {
        attempts.append(
          .init(method: word.rawValue, negativeLogLikelihood: nil, reason: error.description))
      }
    }
    guard let best else {
      throw .unfit(subject, attempts.compactMap(\.reason).joined(separator: "; "))
    }
    if choice == .auto, let before = best.fit.before?.negativeLogLikelihood,
      best.fit.after.negativeLogLikelihood >= before
    {
      throw .unfit(
        subject,
        "no method predicts better on held-out folds than the scores as they are, whose negative "
          + "log-likelihood is \(before)")
    }
    calibration = ScoreCalibration(
      of: what, calibrator: best.calibrator, cases: cases.count, positives: positives,
      clusters: Set(cases.map(\.cluster)).count, folds: count, before: best.fit.before,
      after: best.fit.after, attempts: attempts)
    func judged(_ confidences: [Double]) -> [JudgedConfidence] {
      zip(confidences, cases).compactMap {
        JudgedConfidence($0, outcome: $1.positive / $1.weight)
      }
    }
    before = judged(cases.map(\.score))
    after = judged(best.fit.calibrated)
  }
}
