internal import Metrics
package import Records

/// A metric of the counts at one threshold, by its name in objectives.
///
/// Undefined (nil) where its denominator is 0. Sources: Fawcett 2006 (ROC); van Rijsbergen 1979 (F-β);
/// Elkan 2001 (cost).
package enum ThresholdMetric: Sendable, Hashable {
  /// (1 + β²)·TP / ((1 + β²)·TP + FP + β²·FN), in [0, 1]; `f1`, `f0.5`, `f2`.
  case fBeta(Double)
  /// TP / (TP + FP), in [0, 1].
  case precision
  /// TP / positives, in [0, 1].
  case recall
  /// TN / negatives, in [0, 1].
  case specificity
  /// Mean of recall and specificity, in [0, 1].
  case balancedAccuracy
  /// (TP + TN) / all, in [0, 1].
  case accuracy
  /// FP / negatives, in [0, 1].
  case falsePositiveRate
  /// FN / positives, in [0, 1].
  case missRate
  /// Accepted / all, in [0, 1].
  case acceptedShare
  /// FP a minute.
  case falsePositivesPerMinute
  /// (price of a false positive · FP + price of a miss · FN) / all.
  case cost(falsePositive: Double, miss: Double)

  /// The names that objectives may use; any β above 0 can follow the `f`.
  package static let names = [
    "f1", "f0.5", "f2", "precision", "recall", "specificity", "balanced_accuracy", "accuracy",
    "false_positive_rate", "miss_rate", "accepted_share", "fp_per_minute", "cost",
  ]

  /// Finds the metric of a name; nil for one that is not there.
  ///
  /// `prices` are what `cost` means.
  package init?(
    named name: String, prices: (falsePositive: Double, miss: Double) = (falsePositive: 1, miss: 1)
  ) {
    switch name {
    case "precision": self = .precision
    case "recall": self = .recall
    case "specificity": self = .specificity
    case "balanced_accuracy": self = .balancedAccuracy
    case "accuracy": self = .accuracy
    case "false_positive_rate": self = .falsePositiveRate
    case "miss_rate": self = .missRate
    case "accepted_share": self = .acceptedShare
    case "fp_per_minute": self = .falsePositivesPerMinute
    case "cost": self = .cost(falsePositive: prices.falsePositive, miss: prices.miss)
    default:
      guard name.first == "f", let beta = Double(name.dropFirst()), (1e-3...1e3).contains(beta)
      else { return nil }
      self = .fBeta(beta)
    }
  }

  /// Which way is better; the share accepted has none, and counts as better when higher.
  package var better: Direction {
    switch self {
    case .falsePositiveRate, .missRate, .falsePositivesPerMinute, .cost: .lower
    default: .higher
    }
  }

  /// What kind of number it is.
  var kind: MetricScale.Kind {
    switch self {
    case .falsePositivesPerMinute, .cost: .amount
    default: .share
    }
  }

  /// Whether it counts negatives that were left, or all of them.
  var countsNegatives: Bool {
    switch self {
    case .specificity, .balancedAccuracy, .accuracy, .falsePositiveRate, .acceptedShare, .cost:
      true
    case .fBeta, .precision, .recall, .missRate, .falsePositivesPerMinute: false
    }
  }

  /// The metric of some counts; nil where it is undefined.
  package func value(of counts: OperatingCounts) -> Double? {
    let (found, wrong) = (counts.truePositives, counts.falsePositives)
    let (positives, negatives) = (counts.positives, counts.negatives)
    func ratio(_ part: Double, _ whole: Double) -> Double? { whole > 0 ? part / whole : nil }
    switch self {
    case .fBeta(let beta):
      return DecisionWeights.fMeasure(
        beta: beta, found: found, decided: found + wrong, positives: positives)
    case .precision: return ratio(found, found + wrong)
    case .recall: return ratio(found, positives)
    case .specificity: return ratio(counts.trueNegatives, negatives)
    case .balancedAccuracy:
      guard positives > 0, negatives > 0 else { return nil }
      return (found / positives + counts.trueNegatives / negatives) / 2
    case .accuracy: return ratio(found + counts.trueNegatives, positives + negatives)
    case .falsePositiveRate: return ratio(wrong, negatives)
    case .missRate: return ratio(counts.falseNegatives, positives)
    case .acceptedShare: return ratio(found + wrong, positives + negatives)
    case .falsePositivesPerMinute: return counts.minutes.flatMap { ratio(wrong, $0) }
    case .cost(let falsePositive, let miss):
      return ratio(
        falsePositive * wrong + miss * counts.falseNegatives, positives + negatives)
    }
  }
}
