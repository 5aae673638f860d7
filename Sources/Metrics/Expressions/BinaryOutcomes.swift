/// Yes-or-no decisions with labels that may be in between.
///
/// A case whose label is p counts with the weight p as a positive and 1 − p as a negative one.
@dynamicMemberLookup
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

  /// Weights, and the metrics that follow from them.
  package subscript<Value>(dynamicMember path: KeyPath<DecisionWeights, Value>) -> Value {
    weights[keyPath: path]
  }

  /// Chance that a positive scores higher than a negative, ties by half; nil where a class is absent.
  package var areaUnderROC: Double? {
    ROCCurve(cases.map { ($0.score, $0.positive, $0.negative) }).areaUnder
  }
}
