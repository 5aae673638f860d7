import Calibration
import Foundation
import Platform
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  struct Case: Decodable {
    var plain, plainOutputs, smooth, smoothOutputs: [Double]
    var inverseTemperature: Double
    var isotonicScores, isotonicShares, isotonicOutputs: [Double]
    var beta, histogram: [Double]?
  }

  var probes: [Double]
  var cases: [Case]
}

/// The same cases as in the oracle's script.
private func randomCase(_ seed: Int) -> [ScoredCase] {
  var generator = SplitMix64(seed: UInt64(seed))
  let count = 20 + generator.below(80)
  let levels = [10, 64, 1 << 30][generator.below(3)]
  let isWeighted = generator.below(2) == 1
  let kind = generator.below(3)
  return (0..<count).map { index in
    let draws = (0..<2).map { _ in 1 + generator.below(levels - 1) }
    let truth = index > 3 ? generator.below(2) : index % 2
    var score = Double(truth == 1 ? max(draws[0], draws[1]) : min(draws[0], draws[1]))
    score /= Double(levels)
    if index < 4 { score = index < 2 ? 15.0 / 16 : 1.0 / 16 }
    if kind == 1, index > 3, generator.below(10) == 0 { score = truth == 1 ? 1 : 0 }
    if kind == 2 { score *= score }
    return ScoredCase(
      score: score, isPositive: truth == 1,
      weight: isWeighted ? Double(1 + generator.below(3)) : 1)
  }
}

@Suite("Calibrators")
struct CalibratorTests {
  /// Ours stop where a step is 1e-9 of the weights; the tolerance is each oracle's: `newton-cholesky` at 1e-13,
  /// L-BFGS at a gradient of 1e-6, Brent's on a flat optimum.
  @Test(.tags(.oracle))
  func `parameters and outputs equal scikit-learn's and netcal's on 120 cases`() throws {
    let expected = try Oracles.read("calibrators", as: Expected.self)
    #expect(expected.cases.count >= 100)
    var worst: [String: Double] = [:]
    func compare(
      _ name: String, _ values: [Double], _ wanted: [Double], within tolerance: Double, seed: Int
    ) {
      let scale = wanted.reduce(1) { max($0, abs($1)) }
      let difference = largestDifference(values, wanted) / scale
      #expect(difference <= tolerance, "case \(seed), \(name): \(values), expected \(wanted)")
      worst[name] = max(worst[name] ?? 0, difference)
    }
    var (betas, histograms) = (0, 0)
    for (seed, wanted) in expected.cases.enumerated() {
      let cases = randomCase(seed)
      func outputs(_ calibrator: (Double) -> Double) -> [Double] {
        expected.probes.map(calibrator)
      }
      let plain = try PlattCalibrator(fitting: cases, smoothing: false)
      compare("plain", [plain.slope, plain.intercept], wanted.plain, within: 1e-8, seed: seed)
      compare(
        "plain outputs", outputs(plain.calibrated), wanted.plainOutputs, within: 1e-8, seed: seed)
      let smooth = try PlattCalibrator(fitting: cases)
      compare("smooth", [smooth.slope, smooth.intercept], wanted.smooth, within: 1e-4, seed: seed)
      compare(
        "smooth outputs", outputs(smooth.calibrated), wanted.smoothOutputs, within: 1e-5,
        seed: seed)
      let temperature = try TemperatureCalibrator(fitting: cases)
      compare(
        "temperature", [1 / temperature.temperature], [wanted.inverseTemperature], within: 1e-6,
        seed: seed)
      let isotonic = try IsotonicCalibrator(fitting: cases)
      compare("isotonic", isotonic.scores, wanted.isotonicScores, within: 1e-9, seed: seed)
      compare("isotonic", isotonic.shares, wanted.isotonicShares, within: 1e-9, seed: seed)
      compare(
        "isotonic outputs", outputs(isotonic.calibrated), wanted.isotonicOutputs, within: 1e-9,
        seed: seed)
      if let parameters = wanted.beta {
        let beta = try BetaCalibrator(fitting: cases)
        compare("beta", [beta.a, beta.b, beta.c], parameters, within: 1e-7, seed: seed)
        betas += 1
      }
      if let shares = wanted.histogram {
        let histogram = try HistogramCalibrator(fitting: cases)
        compare("histogram", outputs(histogram.calibrated), shares, within: 1e-9, seed: seed)
        histograms += 1
      }
    }
    #expect(betas >= 100 && histograms >= 15)
    print("largest differences of calibrators: \(worst.sorted { $0.key < $1.key })")
  }

  @Test(arguments: CalibrationMethod.allCases)
  func `no cases, one outcome, one score, misses and NaN are refused in one line`(
    method: CalibrationMethod
  ) {
    let both = [
      ScoredCase(score: 0.2, isPositive: false), ScoredCase(score: 0.7, isPositive: true),
    ]
    let wrong: [(cases: [ScoredCase], reason: String)] = [
      ([], "there are no cases"),
      (both.map { ScoredCase(score: $0.score, isPositive: true) }, "all cases are positive"),
      (both.map { ScoredCase(score: $0.score, isPositive: false) }, "all cases are negative"),
      ([both[0], ScoredCase(score: 0.2, isPositive: true)], "all scores are 0.2"),
      (both + [.missed()], "found a miss"),
      (both + [ScoredCase(score: .nan, isPositive: true)], "case 3"),
      (both.map { ScoredCase(score: $0.score, isPositive: true, weight: 0) }, "there are no cases"),
    ]
    for (cases, reason) in wrong {
      let error = #expect(throws: CalibrationError.self) {
        _ = try Calibrator(method, fitting: cases)
      }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains("\n") == false)
    }
  }

  @Test func `classes that the scores separate have no finite slope but with smoothed targets`()
    throws
  {
    let cases = (0..<20).map { ScoredCase(score: Double($0) / 20 + 0.01, isPositive: $0 > 9) }
    for method in [CalibrationMethod.beta, .temperature] {
      #expect(throws: CalibrationError.self) { _ = try Calibrator(method, fitting: cases) }
    }
    #expect(throws: CalibrationError.self) {
      _ = try PlattCalibrator(fitting: cases, smoothing: false)
    }
    let smooth = try PlattCalibrator(fitting: cases)
    #expect(smooth.slope > 0 && smooth.slope.isFinite)
  }

  @Test func `scores that rank the wrong way have neither temperature nor beta map`() {
    let cases = (0..<40).map {
      ScoredCase(score: Double($0) / 50 + 0.1, isPositive: $0 < 20 || $0 == 30)
    }
    for method in [CalibrationMethod.beta, .temperature] {
      let error = #expect(throws: CalibrationError.self) {
        _ = try Calibrator(method, fitting: cases)
      }
      #expect(error?.description.contains("fewer positives") == true)
    }
  }

  @Test func `many cases are fitted, and probabilities that are right stay as they are`() throws {
    var generator = SplitMix64(seed: 6)
    let cases = (0..<20_000).map { _ in
      let score = generator.share()
      return ScoredCase(score: score, isPositive: generator.share() < score)
    }
    // About four standard errors of each parameter.
    #expect(try abs(TemperatureCalibrator(fitting: cases).temperature - 1) < 0.08)
    let beta = try BetaCalibrator(fitting: cases)
    #expect(abs(beta.a - 1) < 0.15 && abs(beta.b - 1) < 0.15 && abs(beta.c) < 0.2)
    for method in CalibrationMethod.allCases {
      let calibrator = try Calibrator(method, fitting: cases)
      #expect([0.25, 0.5, 0.75].allSatisfy { abs(calibrator.calibrated($0) - $0) < 0.1 })
    }
  }

  @Test(arguments: CalibrationMethod.allCases)
  func `a calibrator comes back from JSON, and one that no fit can have does not`(
    method: CalibrationMethod
  ) throws {
    let calibrator = try Calibrator(method, fitting: randomCase(5))
    let data = try JSONEncoder().encode(calibrator)
    #expect(try JSONDecoder().decode(Calibrator.self, from: data) == calibrator)
  }

  @Test(
    arguments: [
      #"{"method": "isotonic", "scores": [0, 1], "shares": [0.9, 0.1]}"#,
      #"{"method": "isotonic", "scores": [], "shares": []}"#,
      #"{"method": "histogram", "edges": [0.5], "shares": [0.9]}"#,
      #"{"method": "histogram", "edges": [], "shares": []}"#,
      #"{"method": "temperature", "temperature": 0}"#,
      #"{"method": "beta", "a": -1, "b": 1, "c": 0}"#, #"{"method": "magic"}"#,
    ])
  func `JSON of unsound parameters is refused`(json: String) {
    #expect(throws: DecodingError.self) {
      _ = try JSONDecoder().decode(Calibrator.self, from: Data(json.utf8))
    }
  }

  @Test func `outside the range an isotonic curve is level, and an empty bin gives its middle`()
    throws
  {
    let cases = [
      ScoredCase(score: 0.2, share: 0.25), ScoredCase(score: 0.6, isPositive: true),
    ]
    let isotonic = try IsotonicCalibrator(fitting: cases)
    #expect([0, 0.2, 0.6, 9].map(isotonic.calibrated) == [0.25, 0.25, 1, 1])
    let histogram = try HistogramCalibrator(fitting: cases)
    #expect(abs(histogram.calibrated(0.95) - 0.95) < 1e-15 && histogram.calibrated(0.2) == 0.25)
    #expect(isotonic.calibrated(.nan).isNaN && histogram.calibrated(.nan).isNaN)
  }
}
