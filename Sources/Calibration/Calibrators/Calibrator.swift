/// How scores are turned into probabilities; the raw value is the word in calibrations.
package enum CalibrationMethod: String, Sendable, Codable, CaseIterable {
  /// A logistic curve over the score, with Platt's targets.
  case platt
  /// One temperature of the log-odds.
  case temperature
  /// The rising curve with the smallest squared error.
  case isotonic
  /// The map between two beta distributions.
  case beta
  /// The share of positives in each of ten bins.
  case histogram
}

/// What a method fits, as it is read and written.
protocol FittedMap: Encodable {
  /// Whether the numbers can be a fit's.
  var isSound: Bool { get }
}

/// A fitted map from scores to probabilities, by any method.
package enum Calibrator: Sendable, Hashable {
  case platt(PlattCalibrator)
  case temperature(TemperatureCalibrator)
  case isotonic(IsotonicCalibrator)
  case beta(BetaCalibrator)
  case histogram(HistogramCalibrator)

  /// Fits by a method; throws for no cases, one outcome, one score, and what has no finite fit.
  package init(
    _ method: CalibrationMethod, fitting cases: [ScoredCase]
  ) throws(CalibrationError) {
    switch method {
    case .platt: self = .platt(try PlattCalibrator(fitting: cases))
    case .temperature: self = .temperature(try TemperatureCalibrator(fitting: cases))
    case .isotonic: self = .isotonic(try IsotonicCalibrator(fitting: cases))
    case .beta: self = .beta(try BetaCalibrator(fitting: cases))
    case .histogram: self = .histogram(try HistogramCalibrator(fitting: cases))
    }
  }

  /// The probability that a score stands for, in [0, 1]; NaN for NaN.
  package func calibrated(_ score: Double) -> Double {
    switch self {
    case .platt(let calibrator): calibrator.calibrated(score)
    case .temperature(let calibrator): calibrator.calibrated(score)
    case .isotonic(let calibrator): calibrator.calibrated(score)
    case .beta(let calibrator): calibrator.calibrated(score)
    case .histogram(let calibrator): calibrator.calibrated(score)
    }
  }
}

/// As JSON: `method` and the parameters of that method.
extension Calibrator: Codable {
  private enum CodingKeys: CodingKey {
    case method
  }

  private var parts: (method: CalibrationMethod, map: any FittedMap) {
    switch self {
    case .platt(let calibrator): (.platt, calibrator)
    case .temperature(let calibrator): (.temperature, calibrator)
    case .isotonic(let calibrator): (.isotonic, calibrator)
    case .beta(let calibrator): (.beta, calibrator)
    case .histogram(let calibrator): (.histogram, calibrator)
    }
  }

  /// Throws where the parameters are no fit's, such as an isotonic curve that falls.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    switch try container.decode(CalibrationMethod.self, forKey: .method) {
    case .platt: self = .platt(try PlattCalibrator(from: decoder))
    case .temperature: self = .temperature(try TemperatureCalibrator(from: decoder))
    case .isotonic: self = .isotonic(try IsotonicCalibrator(from: decoder))
    case .beta: self = .beta(try BetaCalibrator(from: decoder))
    case .histogram: self = .histogram(try HistogramCalibrator(from: decoder))
    }
    guard parts.map.isSound else {
      throw DecodingError.dataCorruptedError(
        forKey: .method, in: container,
        debugDescription: "expected parameters that a fit can have, found others")
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(parts.method, forKey: .method)
    try parts.map.encode(to: encoder)
  }
}
