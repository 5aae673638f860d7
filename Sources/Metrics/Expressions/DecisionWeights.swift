internal import Records

/// How often yes-or-no decisions were right and wrong, as weights that add up over cases.
package typealias DecisionWeights = NamedSums<NoSum, Decision, Double>

/// What a decision was: positives found and missed, and negatives taken for positives and left.
package enum Decision: Int, SumName {
  case truePositives, falseNegatives, falsePositives, trueNegatives
}

extension DecisionWeights {
  private var positives: Double { self[.truePositives] + self[.falseNegatives] }
  private var negatives: Double { self[.falsePositives] + self[.trueNegatives] }
  private var decided: Double { self[.truePositives] + self[.falsePositives] }
  private var left: Double { self[.falseNegatives] + self[.trueNegatives] }

  /// Takes what `numbers` gives.
  package init(_ numbers: ArraySlice<Double>) {
    var numbers = numbers
    self.init(numbers: &numbers)
  }

  /// Found over decided; nil where nothing was decided.
  package var precision: Double? { Self.ratio(self[.truePositives], decided) }
  /// Found over positives; nil without positives.
  package var recall: Double? { Self.ratio(self[.truePositives], positives) }
  /// Negatives left over negatives; nil without negatives.
  package var specificity: Double? { Self.ratio(self[.trueNegatives], negatives) }
  /// F-β for β = 1.
  package var f1: Double? {
    Self.fMeasure(found: self[.truePositives], decided: decided, positives: positives)
  }
  /// Mean of recall and specificity; nil where a class is absent.
  package var balancedAccuracy: Double? {
    recall.flatMap { recall in specificity.map { (recall + $0) / 2 } }
  }
  /// Matthews' correlation; nil where a class is absent among the labels or the decisions.
  package var matthewsCorrelation: Double? {
    guard positives > 0, negatives > 0, decided > 0, left > 0 else { return nil }
    let right = self[.truePositives] * self[.trueNegatives]
    let wrong = self[.falsePositives] * self[.falseNegatives]
    return (right - wrong)
      / ((positives * negatives).squareRoot() * (decided * left).squareRoot())
  }

  /// F-β: (1 + β²)·TP / (TP + FP + β²·positives); nil without positives that are labelled or decided.
  package static func fMeasure(
    beta: Double = 1, found: Double, decided: Double, positives: Double
  ) -> Double? {
    ratio((1 + beta * beta) * found, decided + beta * beta * positives)
  }

  private static func ratio(_ part: Double, _ whole: Double) -> Double? {
    whole > 0 ? part / whole : nil
  }
}

extension MetricDefinition {
  /// F1 of counts; undefined without positives, which are n.
  func f1(found: Int, decided: Int, positives: Int, else reason: String) -> Measurement {
    let value = DecisionWeights.fMeasure(
      found: Double(found), decided: Double(decided), positives: Double(positives))
    return measurement(positives > 0 ? value : nil, n: positives, else: reason)
  }
}
