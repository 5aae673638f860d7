internal import Metrics

/// What every threshold accepts: built once by sorting, then each threshold costs a binary search.
///
/// A case is accepted where its score is at the threshold or above it, so equal scores enter
/// together and each distinct finite score is a threshold.
package struct ScoreCurve: Sendable, Hashable {
  /// The distinct finite scores, descending.
  package let thresholds: [Double]
  /// Weight of the positives accepted at each of the thresholds.
  package let truePositives: [Double]
  /// Weight of the negatives accepted at each of the thresholds.
  package let falsePositives: [Double]
  /// Weight of all positives, those without a score among them.
  package let positives: Double
  /// Weight of all negatives.
  package let negatives: Double
  /// How long was looked, in minutes; nil where nothing was timed.
  package let minutes: Double?

  /// Sorts some cases; throws for scores and weights that are none, and minutes not above 0.
  package init(_ cases: [ScoredCase], minutes: Double? = nil) throws(CalibrationError) {
    for (index, one) in cases.enumerated() { try one.check(at: index) }
    if let minutes, !(minutes > 0 && minutes.isFinite) { throw .malformedMinutes(minutes) }
    self.init(ScoreRanking(cases), copies: nil, minutes: minutes)
  }

  /// Takes each cluster `copies` times; nil takes each once.
  init(_ ranking: ScoreRanking, copies: [Int]?, minutes: Double?) {
    var thresholds: [Double] = []
    var (truePositives, falsePositives): ([Double], [Double]) = ([], [])
    let maxCount = ranking.steps.count
    thresholds.reserveCapacity(maxCount)
    truePositives.reserveCapacity(maxCount)
    falsePositives.reserveCapacity(maxCount)
    var (positives, negatives) = (0.0, 0.0)
    for step in ranking.steps {
      var isThere = copies == nil
      for entry in ranking.entries[step.entries] {
        let times = copies.map { Double($0[entry.cluster]) } ?? 1
        guard times > 0 else { continue }
        isThere = true
        positives += times * entry.positive
        negatives += times * entry.negative
      }
      guard isThere, step.score.isFinite else { continue }
      thresholds.append(step.score)
      truePositives.append(positives)
      falsePositives.append(negatives)
    }
    self.thresholds = thresholds
    self.truePositives = truePositives
    self.falsePositives = falsePositives
    self.positives = positives
    self.negatives = negatives
    self.minutes = minutes
  }

  /// What a threshold accepts, in O(log n); above the highest score, and by NaN, nothing.
  package func counts(at threshold: Double) -> OperatingCounts {
    counts(ofFirst: accepted(at: threshold))
  }

  /// What is accepted by the threshold at an index of `thresholds`.
  package func counts(atIndex index: Int) -> OperatingCounts { counts(ofFirst: index + 1) }

  /// How many of the thresholds are at a number or above it.
  func accepted(at threshold: Double) -> Int {
    thresholds.indices.partitioningIndex { !(thresholds[$0] >= threshold) }
  }

  /// How many of the thresholds are above a number.
  func accepted(above threshold: Double) -> Int {
    thresholds.indices.partitioningIndex { !(thresholds[$0] > threshold) }
  }

  /// What is accepted by the first thresholds together.
  func counts(ofFirst accepted: Int) -> OperatingCounts {
    OperatingCounts(
      truePositives: accepted == 0 ? 0 : truePositives[accepted - 1],
      falsePositives: accepted == 0 ? 0 : falsePositives[accepted - 1],
      positives: positives, negatives: negatives, minutes: minutes)
  }

  /// A metric at some thresholds, in their order; nil where it is undefined.
  package func values(of metric: ThresholdMetric, at thresholds: [Double]) -> [Double?] {
    thresholds.map { metric.value(of: counts(at: $0)) }
  }
}

/// One point of a curve that is drawn.
package struct CurvePoint: Sendable, Hashable, Codable {
  /// The threshold.
  package var threshold: Double
  /// Along the horizontal axis, in [0, 1].
  package var x: Double
  /// Along the vertical axis, in [0, 1].
  package var y: Double
}

extension ScoreCurve {
  /// Precision over recall at each threshold, descending; empty without positives.
  package var precisionRecall: [CurvePoint] { points(.recall, .precision) }

  /// Recall over the rate of false positives at each threshold, descending; empty where a class is absent.
  ///
  /// The point (0, 0), where nothing is accepted, has no threshold and is left out.
  package var roc: [CurvePoint] { points(.falsePositiveRate, .recall) }

  /// Miss rate over the rate of false positives at each threshold, descending; empty where a class is absent.
  package var det: [CurvePoint] { points(.falsePositiveRate, .missRate) }

  private func points(_ x: ThresholdMetric, _ y: ThresholdMetric) -> [CurvePoint] {
    thresholds.indices.compactMap { index in
      let counts = counts(atIndex: index)
      guard let x = x.value(of: counts), let y = y.value(of: counts) else { return nil }
      return CurvePoint(threshold: thresholds[index], x: x, y: y)
    }
  }
}
