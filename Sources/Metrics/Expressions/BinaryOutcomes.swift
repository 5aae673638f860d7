internal import Records

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

  /// Weights of the decisions that were right and wrong.
  package let weights: DecisionWeights
  private let cases: [Case]

  /// Counts the cases in their order.
  package init(_ cases: [Case]) {
    self.cases = cases
    func sum(_ isPositive: Bool, _ weight: (Case) -> Double) -> Double {
      cases.reduce(0) { $0 + ($1.isPositive == isPositive ? weight($1) : 0) }
    }
    var weights = DecisionWeights()
    weights[.truePositives] = sum(true) { $0.positive }
    weights[.falseNegatives] = sum(false) { $0.positive }
    weights[.falsePositives] = sum(true) { $0.negative }
    weights[.trueNegatives] = sum(false) { $0.negative }
    self.weights = weights
  }

  /// Chance that a positive scores higher than a negative, ties by half; nil where a class is absent.
  package var areaUnderROC: Double? {
    ROCCurve(cases.map { ($0.score, $0.positive, $0.negative) }).areaUnder
  }
}

extension BinaryOutcomes {
  /// A metric of decisions; nil where it is undefined.
  typealias Value = @Sendable (BinaryOutcomes) -> Double?

  private static let table: [(name: String, title: String, range: MetricRange, value: Value)] = [
    ("f1", "F1", .unit, { $0.weights.f1 }),
    ("precision", "Precision", .proportion, { $0.weights.precision }),
    ("recall", "Recall", .proportion, { $0.weights.recall }),
    ("balanced_accuracy", "Balanced accuracy", .unit, { $0.weights.balancedAccuracy }),
    ("mcc", "Matthews' correlation", .signedUnit, { $0.weights.matthewsCorrelation }),
    ("auroc", "AUROC", .unit, { $0.areaUnderROC }),
  ]

  /// The metrics of decisions on what `subject` stands for, with their formulas in the order of F1, precision, recall,
  /// balanced accuracy, Matthews' correlation and AUROC.
  static func metrics(
    of subject: String, _ definition: DefinitionGroup, formulas: [String]
  ) -> [(definition: MetricDefinition, value: Value)] {
    zip(table, formulas).map { metric, formula in
      let own = definition(
        metric.name, "\(metric.title) of \(subject)", .higher, in: metric.range,
        formula + "; missed faces are missed for what they are and left out for the rest")
      return (own, metric.value)
    }
  }
}
