internal import Statistics

/// The map between two beta distributions: p = 1 / (1 + e^−(a·ln s − b·ln(1 − s) + c)), a and b 0 or more.
///
/// With a = b = 1 and c = 0 it changes nothing. Logarithms are of numbers clipped to [2⁻⁵², 1 − 2⁻⁵²].
/// Source: Kull, Silva Filho and Flach 2017.
package struct BetaCalibrator: Sendable, Hashable, Codable, FittedMap {
  /// The weight of ln s, 0 or more.
  package let a: Double
  /// The weight of −ln(1 − s), 0 or more.
  package let b: Double
  /// The constant.
  package let c: Double

  /// Minimises the negative log-likelihood; throws if no finite rising curve is best.
  ///
  /// A weight that comes out below 0 is held at 0 and the other fitted again, as published; that is the
  /// optimum under both limits.
  package init(fitting cases: [ScoredCase]) throws(CalibrationError) {
    let sample = try CalibrationSample(cases, for: "a beta calibrator", isProbability: true)
    func fit(_ features: (Double) -> [Double]) -> LogisticFit? {
      LogisticFit(
        sample.cases.map {
          LogisticFit.Row(
            features: features($0.score), positive: $0.positive, negative: $0.negative)
        }, hasConstant: true)
    }
    guard sample.overlaps else { throw .unfit(sample.method, CalibrationSample.separated) }
    guard let both = fit({ [LogisticFit.logOf($0), -LogisticFit.logOf(1 - $0)] }) else {
      throw .unfit(sample.method, CalibrationSample.unbounded)
    }
    if both.weights[0] >= 0, both.weights[1] >= 0 {
      (a, b, c) = (both.weights[0], both.weights[1], both.weights[2])
      return
    }
    var best: (a: Double, b: Double, c: Double, loss: Double)?
    if both.weights[1] < 0, let fit = fit({ [LogisticFit.logOf($0)] }), fit.weights[0] > 0 {
      best = (fit.weights[0], 0, fit.weights[1], fit.loss)
    }
    if both.weights[0] < 0, let fit = fit({ [-LogisticFit.logOf(1 - $0)] }), fit.weights[0] > 0,
      fit.loss < best?.loss ?? .infinity
    {
      best = (0, fit.weights[0], fit.weights[1], fit.loss)
    }
    guard let best else { throw .unfit(sample.method, CalibrationSample.reversed) }
    (a, b, c) = (best.a, best.b, best.c)
  }

  /// The probability that a score in [0, 1] stands for; NaN for NaN.
  package func calibrated(_ score: Double) -> Double {
    score.isNaN
      ? .nan
      : LogisticFit.sigmoid(
        a * LogisticFit.logOf(score) - b * LogisticFit.logOf(1 - score) + c)
  }

  var isSound: Bool { [a, b, c].allSatisfy(\.isFinite) && a >= 0 && b >= 0 }
}
