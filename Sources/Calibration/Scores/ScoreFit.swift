package import Metrics
internal import Platform
internal import Records

/// A calibration of some scores, with the confidences that its metrics use.
package struct ScoreFit: Sendable, Hashable {
  /// What is kept.
  package let calibration: ScoreCalibration
  /// The scores as they came with their outcomes; those outside [0, 1] are left out.
  package let before: [ConfidenceOutcome]
  /// The held-out probabilities with their outcomes.
  package let after: [ConfidenceOutcome]

  /// Cross-fits a method, or with `auto` the one with the lowest held-out negative log-likelihood.
  ///
  /// Throws where all cases have one outcome, there are fewer clusters than folds, no method has a fit, and with `auto`
  /// where the share of positives does not rise with the score, so that a map would turn its order around, and where
  /// the interval of the best one's gain over the scores as they came does not lie above 0.
  package init(
    of kind: ScoreKind, cases: [ScoredCase], by choice: CalibrationChoice = .auto,
    folds count: Int = 5,
    seed: UInt64 = 1
  ) throws(CalibrationError) {
    let subject = "\(kind.rawValue) scores"
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
    for method in choice.methods {
      do {
        let fit = try CrossFit(method, cases: cases, folds: folds)
        let calibrator = try Calibrator(method, fitting: cases)
        let loss = fit.after.negativeLogLikelihood
        attempts.append(.init(method: method.rawValue, negativeLogLikelihood: loss, reason: nil))
        if loss < best?.fit.after.negativeLogLikelihood ?? .infinity { best = (fit, calibrator) }
      } catch {
        attempts.append(
          .init(method: method.rawValue, negativeLogLikelihood: nil, reason: error.description))
      }
    }
    guard let best else {
      throw .unfit(subject, attempts.compactMap(\.reason).joined(separator: "; "))
    }
    guard choice != .auto || cases.haveRisingShares else {
      throw .unfit(subject, CalibrationSample.reversed)
    }
    let gain = Self.gain(of: best.fit, cases, methods: choice.methods.count)
    if choice == .auto, let gain, !gain.isShown {
      let interval = gain.interval
      let range =
        interval.low.flatMap { low in
          interval.high.map {
            "\((interval.level * 100).shortText()) % \(low.shortText()) to \($0.shortText())"
          }
        } ?? interval.reason ?? "no interval"
      throw .unfit(
        subject,
        "no method is shown to predict better on held-out folds than the raw scores: the best "
          + "lowers the negative log-likelihood by \(gain.value.shortText()) (\(range))")
    }
    calibration = ScoreCalibration(
      of: kind.rawValue, calibrator: best.calibrator, cases: cases.count, positives: positives,
      clusters: Set(cases.map(\.cluster)).count, folds: count, before: best.fit.before,
      after: best.fit.after, gain: gain, attempts: attempts)
    func evaluated(_ confidences: [Double]) -> [ConfidenceOutcome] {
      zip(confidences, cases).compactMap {
        ConfidenceOutcome($0, outcome: $1.positive / $1.weight)
      }
    }
    before = evaluated(cases.map(\.score))
    after = evaluated(best.fit.calibrated)
  }

  /// The mean fall of the loss with its interval; nil where some scores are no probabilities.
  ///
  /// A mean over clusters that are drawn whole, by Student's t; the best of several methods has
  /// the interval of that many tests (Bonferroni).
  private static func gain(
    of fit: CrossFit, _ cases: [ScoredCase], methods: Int
  ) -> ScoreCalibration.Gain? {
    guard fit.before != nil else { return nil }
    var sums: [Int: (gain: Double, count: Double)] = [:]
    for (one, calibrated) in zip(cases, fit.calibrated) {
      let outcome = one.positive / one.weight
      guard let before = ConfidenceOutcome(one.score, outcome: outcome),
        let after = ConfidenceOutcome(calibrated, outcome: outcome),
        let was = [before].negativeLogLikelihood, let loss = [after].negativeLogLikelihood
      else { return nil }
      sums[one.cluster, default: (0, 0)].gain += was - loss
      sums[one.cluster, default: (0, 0)].count += 1
    }
    let clusters = sums.sorted { $0.key < $1.key }.map(\.value)
    let count = clusters.reduce(0) { $0 + $1.count }
    let value = clusters.reduce(0) { $0 + $1.gain } / count
    let weight = ClusterSizes(clusters.map(\.count))
    let level = 0.95
    guard let reach = weight.reach(1 - (1 - level) / 2 / Double(methods)) else {
      return ScoreCalibration.Gain(
        value: value, interval: .none("one cluster outweighs the others"))
    }
    let squares = clusters.reduce(0) { sum, one in
      let residual = one.gain - value * one.count
      return sum + residual * residual
    }
    let error = squares.squareRoot() / count
    let tests = methods > 1 ? ", for the best of \(methods) methods" : ""
    return ScoreCalibration.Gain(
      value: value,
      interval: Interval(
        low: value - reach * error, high: value + reach * error, level: level,
        method: "Student's t over \(weight.count) clusters" + tests))
  }
}

extension [ScoredCase] {
  /// Whether the share of positives rises with the score, all cases taken together.
  fileprivate var haveRisingShares: Bool {
    let weight = reduce(0) { $0 + $1.weight }
    let mean = reduce(0) { $0 + $1.weight * $1.score } / weight
    return reduce(0) { $0 + $1.positive * ($1.score - mean) } > 0
  }
}
