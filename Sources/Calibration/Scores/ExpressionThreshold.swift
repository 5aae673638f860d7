internal import Foundation
package import Metrics
package import Platform
package import Records

/// The threshold that an objective prefers for a rule of expressions, with how sure it is.
package struct ExpressionThreshold: Sendable, Hashable, Codable {
  /// The rule's name.
  package var name: String
  /// The rule's formula, as rules files write it.
  package var value: String
  /// Which side is active: `above` or `at_most`.
  package var side: String
  /// The recommended threshold of the value: the shortest decimal that decides all cases the same way.
  package var threshold: Double
  /// Where the best threshold lies; its ends are shortened in the same way.
  package var interval: Interval
  /// The threshold that the run was evaluated with.
  package var present: Double
  /// What was asked for, such as `max f1`.
  package var objective: String
  /// The objective's metric at the recommended threshold, on the cases that it was found on.
  package var metric: Double
  /// Where that metric lies, less the optimism of having been picked.
  package var metricInterval: Interval
  /// The metric over held-out folds, each evaluated by the threshold of the others; nil where undefined.
  @Nullable package var heldOut: Double?
  /// The metric at the present threshold; nil where undefined.
  @Nullable package var presentMetric: Double?
  /// Labelled faces, and how many of them have the expression.
  package var cases: Int
  /// Weight of those that have it.
  package var positives: Double
  /// How far the objective's limits can be trusted; nil without limits.
  package var limits: ThresholdLimits?
  /// Warnings, one per line.
  package var warnings: [String]

  /// Searches the outcomes of a rule; throws for one outcome only, few clusters and where no threshold will do.
  package init(
    _ rule: ExpressionRule, outcomes: [ScoredOutcome], cluster: (_ frame: Int) -> Int,
    search: ThresholdSearch, folds count: Int = 5, bootstrap: ClusterBootstrap = ClusterBootstrap()
  ) throws(CalibrationError) {
    let cases = Self.cases(rule, outcomes, cluster: cluster)
    let positives = cases.reduce(0) { $0 + $1.positive }
    guard positives > 0, cases.contains(where: { $0.negative > 0 }) else {
      throw .noThreshold(
        "\(rule.name): all \(cases.count) labelled faces are "
          + "\(positives > 0 ? "" : "not ")\(rule.name), both kinds are needed")
    }
    let found = try ThresholdRecommendation(cases, search: search, bootstrap: bootstrap)
    let curve = try ScoreCurve(cases)
    func written(_ score: Double) -> Double {
      Self.between(score, curve.thresholds.first { $0 < score } ?? score - 0.01, on: rule.side)
    }
    threshold = written(found.optimum.threshold)
    interval = found.thresholdInterval
    if let low = interval.low, let high = interval.high, let method = interval.method {
      let ends = [written(low), written(high)].sorted()
      interval = Interval(low: ends[0], high: ends[1], level: interval.level, method: method)
    }
    name = rule.name
    self.value = rule.formula.description
    side = rule.side.rawValue
    present = rule.threshold
    objective = search.objective.description
    metric = found.optimum.value
    metricInterval = found.valueInterval
    self.cases = cases.count
    self.positives = positives
    presentMetric = search.goal.value(
      of: curve.counts(
        at: rule.side == .above ? rule.threshold.nextUp : 1 - rule.threshold))
    heldOut = try search.heldOut(cases, folds: count, bootstrap: bootstrap)
    limits = ThresholdLimits(found, written: written)
    warnings = found.warnings.map(\.description)
  }

  /// Scores that rise towards the active side; a negative part of a missed face is no success.
  static func cases(
    _ rule: ExpressionRule, _ outcomes: [ScoredOutcome], cluster: (_ frame: Int) -> Int
  ) -> [ScoredCase] {
    outcomes.compactMap { outcome in
      let cluster = cluster(outcome.frame)
      guard let value = outcome.score else {
        return outcome.share > 0 ? .missed(weight: outcome.share, cluster: cluster) : nil
      }
      return ScoredCase(
        score: rule.side == .above ? value : 1 - value, share: outcome.share, cluster: cluster)
    }
  }

  /// The highest of the numbers of fewest decimals that accept a score and not the next lower one.
  ///
  /// A rule `above` accepts what exceeds its threshold, so that the number lies in [next, score); one that is
  /// `at_most` accepts values, which are 1 − score, up to and including its threshold.
  static func between(_ score: Double, _ next: Double, on side: ExpressionRule.Side) -> Double {
    let ends = side == .above ? (low: next, high: score) : (low: 1 - score, high: 1 - next)
    for decimals in 0...15 {
      let unit = pow(10, Double(decimals))
      let number = ((ends.high * unit).rounded(.up) - 1) / unit
      if number >= ends.low, number < ends.high { return number == 0 ? 0 : number }
    }
    return ends.low
  }
}

extension ExpressionThreshold {
  /// Whether values above the threshold are active, rather than those at most as high.
  package var isActiveAbove: Bool { ExpressionRule.Side(rawValue: side) == .above }

  /// The cases of a rule that have a score: its value, or 1 − value where it must be at most so much.
  package static func scored(
    _ rule: ExpressionRule, _ outcomes: [ScoredOutcome], cluster: (_ frame: Int) -> Int
  ) -> [ScoredCase] {
    cases(rule, outcomes, cluster: cluster).filter { $0.score.isFinite }
  }
}
