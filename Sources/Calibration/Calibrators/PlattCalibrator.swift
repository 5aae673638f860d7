internal import Statistics

/// A logistic curve over the score: p = 1 / (1 + e^−(slope·s + intercept)).
///
/// Source: Platt 1999; the fit's steps: Lin, Lin and Weng 2007. scikit-learn's `_SigmoidCalibration` has
/// a = −slope and b = −intercept.
package struct PlattCalibrator: Sendable, Hashable, Codable, FittedMap {
  /// How much the log-odds rise with the score.
  package let slope: Double
  /// The log-odds at score 0.
  package let intercept: Double

  /// Fits to cases with finite scores.
  ///
  /// With `smoothing` the targets are Platt's (n₊ + 1) / (n₊ + 2) and 1 / (n₋ + 2) instead of 1 and 0, and
  /// classes that the scores separate have a fit too. Throws for what has no finite one.
  package init(fitting cases: [ScoredCase], smoothing: Bool = true) throws(CalibrationError) {
    let sample = try CalibrationSample(cases, for: "Platt's calibrator", isProbability: false)
    let high = smoothing ? (sample.positives + 1) / (sample.positives + 2) : 1
    let low = smoothing ? 1 / (sample.negatives + 2) : 0
    let rows = sample.cases.map { one in
      LogisticFit.Row(
        features: [one.score], positive: one.positive * high + one.negative * low,
        negative: one.positive * (1 - high) + one.negative * (1 - low))
    }
    guard smoothing || sample.overlaps else {
      throw .unfit(sample.method, CalibrationSample.separated)
    }
    guard let fit = LogisticFit(rows, hasConstant: true) else {
      throw .unfit(sample.method, CalibrationSample.unbounded)
    }
    (slope, intercept) = (fit.weights[0], fit.weights[1])
  }

  /// The probability that a score stands for; NaN for NaN.
  package func calibrated(_ score: Double) -> Double {
    LogisticFit.sigmoid(slope * score + intercept)
  }

  var isSound: Bool { slope.isFinite && intercept.isFinite }
}
