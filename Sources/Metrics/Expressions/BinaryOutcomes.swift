/// Yes-or-no decisions with labels that may be in between.
///
/// A case whose label is p counts with the weight p as a positive and 1 − p as a negative one.
package struct BinaryOutcomes: Sendable, Hashable {
  /// One decision.
  package struct Case: Sendable, Hashable {
    /// With what weight the label is positive.
    package let positive: Double
    /// With what weight it is negative.
    package let negative: Double
    /// How far the decision is on the positive side; not NaN.
    package let score: Double
    /// The decision.
    package let isPositive: Bool

    /// A decision on a label that is positive by `share`, in [0, 1].
    package init(share: Double, score: Double, isPositive: Bool) {
      (positive, negative) = (share, 1 - share)
      self.score = score
      self.isPositive = isPositive
    }

    /// No decision: the positive part is missed below any score, and the negative part is no success.
    package init(missedShare share: Double) {
      (positive, negative) = (share, 0)
      score = -.infinity
      isPositive = false
    }
  }

  /// Weights of positives found and missed, and of negatives taken for positives and left.
  package let truePositives, falseNegatives, falsePositives, trueNegatives: Double
  private let cases: [Case]

  /// Counts the cases in their order.
  package init(_ cases: [Case]) {
    self.cases = cases
    func sum(_ isPositive: Bool, _ weight: (Case) -> Double) -> Double {
      cases.reduce(0) { $0 + ($1.isPositive == isPositive ? weight($1) : 0) }
    }
    truePositives = sum(true) { $0.positive }
    falseNegatives = sum(false) { $0.positive }
    falsePositives = sum(true) { $0.negative }
    trueNegatives = sum(false) { $0.negative }
  }

  /// Found over decided; nil where nothing was decided.
  package var precision: Double? { ratio(truePositives, truePositives + falsePositives) }
  /// Found over positives; nil without positives.
  package var recall: Double? { ratio(truePositives, truePositives + falseNegatives) }
  /// Negatives left over negatives; nil without negatives.
  package var specificity: Double? { ratio(trueNegatives, trueNegatives + falsePositives) }
  /// 2·TP / (2·TP + FP + FN); nil without positives that are labelled or decided.
  package var f1: Double? {
    ratio(2 * truePositives, 2 * truePositives + falsePositives + falseNegatives)
  }
  /// Mean of recall and specificity; nil where a class is absent.
  package var balancedAccuracy: Double? {
    recall.flatMap { recall in specificity.map { (recall + $0) / 2 } }
  }
  /// Matthews' correlation; nil where a class is absent among the labels or the decisions.
  package var matthewsCorrelation: Double? {
    let (positives, negatives) = (truePositives + falseNegatives, falsePositives + trueNegatives)
    let (decided, left) = (truePositives + falsePositives, falseNegatives + trueNegatives)
    guard positives > 0, negatives > 0, decided > 0, left > 0 else { return nil }
    return (truePositives * trueNegatives - falsePositives * falseNegatives)
      / ((positives * negatives).squareRoot() * (decided * left).squareRoot())
  }

  /// Chance that a positive scores higher than a negative, ties by half; nil where a class is absent.
  package var areaUnderROC: Double? {
    ROCCurve(cases.map { ($0.score, $0.positive, $0.negative) }).areaUnder
  }

  private func ratio(_ part: Double, _ whole: Double) -> Double? {
    whole > 0 ? part / whole : nil
  }
}
