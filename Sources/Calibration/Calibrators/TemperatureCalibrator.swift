internal import Statistics

/// Log-odds divided by one temperature: p = 1 / (1 + e^(−logit(s) / T)), with s in [0, 1].
///
/// Over 1 it takes confidence away, under 1 it adds some; 0.5 stays 0.5. Logits are of scores clipped
/// to [2⁻⁵², 1 − 2⁻⁵²]. Source: Guo et al. 2017, for two classes.
package struct TemperatureCalibrator: Sendable, Hashable, Codable, FittedMap {
  /// T, above 0.
  package let temperature: Double

  /// Minimises the negative log-likelihood; throws if no temperature above 0 is best.
  package init(fitting cases: [ScoredCase]) throws(CalibrationError) {
    let sample = try CalibrationSample(cases, for: "a temperature", isProbability: true)
    let rows = sample.cases.map { one in
      LogisticFit.Row(
        features: [LogisticFit.logit(one.score)], positive: one.positive, negative: one.negative)
    }
    guard let fit = LogisticFit(rows, hasConstant: false) else {
      throw .unfit(sample.method, CalibrationSample.unbounded)
    }
    guard fit.weights[0] > 0 else { throw .unfit(sample.method, CalibrationSample.reversed) }
    temperature = 1 / fit.weights[0]
  }

  /// The probability that a score in [0, 1] stands for; NaN for NaN.
  package func calibrated(_ score: Double) -> Double {
    score.isNaN ? .nan : LogisticFit.sigmoid(LogisticFit.logit(score) / temperature)
  }

  var isSound: Bool { temperature > 0 && temperature.isFinite }
}
