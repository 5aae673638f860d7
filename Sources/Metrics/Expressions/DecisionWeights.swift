/// How often yes-or-no decisions were right and wrong, as weights that add up over cases.
package struct DecisionWeights: Sendable, Hashable {
  /// What the numbers that it holds are called.
  package static let fieldNames = [
    "truePositives", "falseNegatives", "falsePositives", "trueNegatives",
  ]
  /// How many numbers it holds.
  package static let fieldCount = fieldNames.count

  /// Weights of positives found and missed, and of negatives taken for positives and left.
  package var truePositives = 0.0
  package var falseNegatives = 0.0
  package var falsePositives = 0.0
  package var trueNegatives = 0.0

  /// Starts with nothing.
  package init() {}

  /// Reads the four weights in the order of `fields`.
  package init(_ fields: some Collection<Double>) {
    let fields = Array(fields)
    truePositives = fields[0]
    falseNegatives = fields[1]
    falsePositives = fields[2]
    trueNegatives = fields[3]
  }

  /// The weights: found, missed, wrongly taken, left.
  package var fields: [Double] { [truePositives, falseNegatives, falsePositives, trueNegatives] }

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

  private func ratio(_ part: Double, _ whole: Double) -> Double? {
    whole > 0 ? part / whole : nil
  }
}
