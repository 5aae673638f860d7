internal import Foundation
package import Metrics
package import Platform
package import Records

/// How far the limits of a threshold's objective can be trusted.
package struct ThresholdLimits: Sendable, Hashable, Codable {
  /// The best threshold on this data alone, where a limit has a confidence; nil for none.
  @Nullable package var plainThreshold: Double?
  /// The objective's metric there.
  @Nullable package var plainMetric: Double?
  /// The share of the resamples whose own best threshold of that kind breaks a limit on all data.
  @Nullable package var brokenShare: Double?

  /// Nil for an objective without limits; `written` formats a score as a threshold.
  init?(_ found: ThresholdRecommendation, written: (Double) -> Double) {
    guard found.plain != nil || found.brokenShare != nil else { return nil }
    plainThreshold = found.plain.map { written($0.threshold) }
    plainMetric = found.plain?.value
    brokenShare = found.brokenShare
  }
}

/// The threshold that an objective prefers for the scores of detections, with how sure it is.
///
/// A detection counts where its score is at the threshold or above it; labelled faces that none of them finds
/// are missed at every threshold.
package struct ScoreThreshold: Sendable, Hashable, Codable {
  /// The word for whose scores, `detection`.
  package var of: String
  /// The recommended threshold of the raw score: the shortest decimal that decides all cases the same way.
  package var threshold: Double
  /// Where the best threshold lies; its ends are shortened in the same way.
  package var interval: Interval
  /// The threshold that the run was made with.
  package var present: Double
  /// What was asked for, such as `max f1`.
  package var objective: String
  /// The objective's metric at the recommended threshold, on the cases that it was found on.
  package var metric: Double
  /// Where that metric lies, less the optimism of having been picked.
  package var metricInterval: Interval
  /// The metric over held-out folds, each evaluated at the threshold of the others; nil where undefined.
  @Nullable package var heldOut: Double?
  /// The metric at the present threshold; nil where undefined.
  @Nullable package var presentMetric: Double?
  /// Detections that count, and labelled faces that none of them finds.
  package var cases: Int
  /// Labelled faces.
  package var positives: Double
  /// How far the objective's limits can be trusted; nil without limits.
  package var limits: ThresholdLimits?
  /// Warnings, one per line.
  package var warnings: [String]

  /// Searches the scores of detections.
  ///
  /// `minutes` is the length of each cluster where all frames are of videos, else nil. Throws for metrics that
  /// count true negatives, one outcome only, few clusters, and where no threshold will do.
  package init(
    of kind: ScoreKind, cases: [ScoredCase], present: Double, search: ThresholdSearch,
    minutes: [Int: Double]? = nil, folds count: Int = 5,
    bootstrap: ClusterBootstrap = ClusterBootstrap()
  ) throws(CalibrationError) {
    let what = kind.rawValue
    if let name = search.namesOfNegatives.first {
      throw .noThreshold(
        "\(what): '\(name)' counts true negatives, which detections do not have; use f1, f0.5, f2, "
          + "precision, recall, miss_rate and, of videos, fp_per_minute")
    }
    let positives = cases.reduce(0) { $0 + $1.positive }
    guard positives > 0, cases.contains(where: { $0.score.isFinite }) else {
      throw .noThreshold(
        positives > 0
          ? "\(what): there are no scores" : "\(what): there are no labelled faces")
    }
    let used = search.needsMinutes ? minutes : nil
    let found = try ThresholdRecommendation(
      cases, search: search, minutes: used, bootstrap: bootstrap)
    let curve = try ScoreCurve(cases, minutes: used?.total)
    let accepted = curve.thresholds
    func written(_ score: Double) -> Double {
      Self.shortest(above: accepted.first { $0 < score } ?? score - 0.01, to: score)
    }
    self.of = what
    threshold = written(found.optimum.threshold)
    interval = found.thresholdInterval
    if let low = interval.low, let high = interval.high, let method = interval.method {
      interval = Interval(
        low: written(low), high: written(high), level: interval.level, method: method)
    }
    self.present = present
    objective = search.objective.description
    metric = found.optimum.value
    metricInterval = found.valueInterval
    heldOut = try search.heldOut(cases, minutes: used, folds: count, bootstrap: bootstrap)
    let before = curve.counts(at: Self.asStored(present))
    presentMetric = search.goal.value(of: before)
    self.cases = cases.count
    self.positives = positives
    limits = ThresholdLimits(found, written: written)
    let lost = Self.lostFaces(at: found.optimum.counts, insteadOf: before, for: search.objective)
    warnings = [lost].compactMap(\.self) + found.warnings.map(\.description)
  }

  /// What a threshold costs in recall; nil where the objective weighs that, and under half a percent.
  private static func lostFaces(
    at found: OperatingCounts, insteadOf present: OperatingCounts, for objective: Objective
  ) -> String? {
    guard !objective.weighsFoundFaces, let after = ThresholdMetric.recall.value(of: found),
      let before = ThresholdMetric.recall.value(of: present), before - after > 0.005
    else { return nil }
    return
      "recall falls from \(before.text(significantDigits: 3)) at the present threshold to "
      + "\(after.text(significantDigits: 3)) here, which this objective does not limit: "
      + objective.hint(toKeep: "recall", at: before)
  }

  /// The largest of the numbers of fewest decimals in (low, high], also once it is a 32-bit float.
  ///
  /// Scores are stored as such floats, and a threshold is compared with them as one: 0.7 accepts a score that is
  /// stored for 0.70, though that is a little less.
  static func shortest(above low: Double, to high: Double) -> Double {
    for decimals in 0...15 {
      let unit = pow(10, Double(decimals))
      let number = (high * unit).rounded(.down) / unit
      if number <= high, min(number, asStored(number)) > low { return number == 0 ? 0 : number }
    }
    return high
  }

  /// A threshold as scores are stored: as the nearest 32-bit float.
  private static func asStored(_ threshold: Double) -> Double { Double(Float(threshold)) }
}

extension ThresholdSearch {
  /// The metric over held-out folds of clusters, each evaluated at the threshold of the others; nil where undefined.
  ///
  /// Throws for fewer clusters than folds.
  func heldOut(
    _ cases: [ScoredCase], minutes: [Int: Double]? = nil, folds count: Int,
    bootstrap: ClusterBootstrap
  ) throws(CalibrationError) -> Double? {
    let folds = try ClusterFolds(
      of: minutes.map { Array($0.keys) } ?? cases.map(\.cluster), folds: count,
      seed: bootstrap.seed)
    var (found, wrong, positives, negatives) = (0.0, 0.0, 0.0, 0.0)
    for fold in 0..<count {
      let seen = cases.filter { folds.fold(of: $0.cluster) != fold }
      let lengths = minutes?.filter { folds.fold(of: $0.key) != fold }
      guard let threshold = try? threshold(of: seen, minutes: lengths, bootstrap: bootstrap)
      else { return nil }
      for one in cases where folds.fold(of: one.cluster) == fold {
        positives += one.positive
        negatives += one.negative
        guard one.score >= threshold else { continue }
        found += one.positive
        wrong += one.negative
      }
    }
    return goal.value(
      of: OperatingCounts(
        truePositives: found, falsePositives: wrong, positives: positives, negatives: negatives,
        minutes: minutes?.total))
  }

  /// Maximum number of resamples for the bounds of a threshold that is chosen without a fold.
  private static let foldResamples = 200

  private func threshold(
    of cases: [ScoredCase], minutes: [Int: Double]?, bootstrap: ClusterBootstrap
  ) throws(CalibrationError) -> Double {
    guard objective.isGuarded else {
      return try optimum(of: ScoreCurve(cases, minutes: minutes?.total)).threshold
    }
    var fewer = bootstrap
    fewer.resamples = min(bootstrap.resamples, Self.foldResamples)
    return try ThresholdRecommendation(
      cases, search: self, minutes: minutes, bootstrap: fewer
    ).optimum.threshold
  }
}

extension [Int: Double] {
  /// The sum in the order of the keys: its last digits depend on the order, and a dictionary's differs between runs.
  fileprivate var total: Double { sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value } }
}
