/// How well predicted numbers agree with labelled ones, pair by pair.
package struct PairedAgreement: Sendable, Hashable {
  /// How many pairs.
  package let count: Int
  /// Mean of p − g.
  package let bias: Double
  /// Mean of |p − g|.
  package let meanAbsoluteError: Double
  /// √ of the mean of (p − g)².
  package let rootMeanSquareError: Double
  /// Variances over n.
  package let predictedVariance, labelledVariance: Double
  /// Pearson's correlation; nil where either does not vary.
  package let correlation: Double?
  /// Lin's concordance 2·cov / (σₚ² + σ_g² + (μₚ − μ_g)²); nil where both are one same constant.
  package let concordance: Double?
  /// ICC(3,1), consistency of single measurements (Shrout and Fleiss); nil without variance or a second pair.
  package let intraclassCorrelation: Double?

  /// Compares two lists of as many finite numbers; nil for none.
  package init?(predicted: [Double], labelled: [Double]) {
    guard !predicted.isEmpty, predicted.count == labelled.count else { return nil }
    count = predicted.count
    let n = Double(count)
    func mean(_ values: [Double]) -> Double { values.reduce(0, +) / n }
    let differences = zip(predicted, labelled).map { $0 - $1 }
    bias = mean(differences)
    meanAbsoluteError = mean(differences.map(\.magnitude))
    rootMeanSquareError = mean(differences.map { $0 * $0 }).squareRoot()
    let (center, labelledCenter) = (mean(predicted), mean(labelled))
    let deviations = predicted.map { $0 - center }
    let labelledDeviations = labelled.map { $0 - labelledCenter }
    // A constant's mean may miss it by a rounding; its deviations are then nothing but that.
    let isConstant = predicted.allSatisfy { $0 == predicted[0] }
    let isLabelledConstant = labelled.allSatisfy { $0 == labelled[0] }
    let variance = isConstant ? 0 : mean(deviations.map { $0 * $0 })
    let labelledVariance = isLabelledConstant ? 0 : mean(labelledDeviations.map { $0 * $0 })
    predictedVariance = variance
    self.labelledVariance = labelledVariance
    let covariance =
      isConstant || isLabelledConstant
      ? 0 : mean(zip(deviations, labelledDeviations).map { $0 * $1 })
    let scale = variance.squareRoot() * labelledVariance.squareRoot()
    correlation = scale > 0 ? min(1, max(-1, covariance / scale)) : nil
    let shift = center - labelledCenter
    let spread = variance + labelledVariance + shift * shift
    concordance = spread > 0 ? 2 * covariance / spread : nil
    // MSR = n/(n−1)·(σₚ² + σ_g² + 2·cov)/2 and MSE the same with −2·cov: ICC = 2·cov / (σₚ² + σ_g²).
    intraclassCorrelation =
      count > 1 && variance + labelledVariance > 0
      ? 2 * covariance / (variance + labelledVariance) : nil
  }
}
