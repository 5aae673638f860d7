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
    // Resampling does this for each coefficient of each draw: no list is made.
    var (bias, magnitude, square, center, labelledCenter) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for index in predicted.indices {
      let (value, label) = (predicted[index], labelled[index])
      let difference = value - label
      bias += difference
      magnitude += difference.magnitude
      square += difference * difference
      center += value
      labelledCenter += label
    }
    self.bias = bias / n
    meanAbsoluteError = magnitude / n
    rootMeanSquareError = (square / n).squareRoot()
    center /= n
    labelledCenter /= n
    var (variance, labelledVariance, covariance) = (0.0, 0.0, 0.0)
    for index in predicted.indices {
      let (deviation, own) = (predicted[index] - center, labelled[index] - labelledCenter)
      variance += deviation * deviation
      labelledVariance += own * own
      covariance += deviation * own
    }
    // A constant's mean may miss it by a rounding; its deviations are then nothing but that.
    let isConstant = predicted.allSatisfy { $0 == predicted[0] }
    let isLabelledConstant = labelled.allSatisfy { $0 == labelled[0] }
    variance = isConstant ? 0 : variance / n
    labelledVariance = isLabelledConstant ? 0 : labelledVariance / n
    predictedVariance = variance
    self.labelledVariance = labelledVariance
    covariance = isConstant || isLabelledConstant ? 0 : covariance / n
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
