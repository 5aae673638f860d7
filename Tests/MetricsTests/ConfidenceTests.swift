import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  var names: [String]
  var cases: [[Double?]]
  var classNames: [String]
  var classCases: [[Double]]
}

extension ReliabilityBins {
  fileprivate var expectedError: Double? { ExpectedCalibrationError(self)?.binned }
}

private let levels: [UInt64] = [10, 15, 64, 1000, 1 << 53]

/// The same cases as in the oracle's script.
private func randomCase(_ seed: Int) throws -> [ConfidenceOutcome] {
  var generator = SplitMix64(seed: UInt64(seed))
  let count = seed % 25 == 0 ? 0 : 1 + generator.below(80)
  let steps = levels[generator.below(levels.count)]
  let kind = generator.below(6)
  return try (0..<count).map { _ in
    let confidence = Double(generator.next() % (steps + 1)) / Double(steps)
    let coin = generator.below(2)
    return try #require(
      ConfidenceOutcome(confidence, isTrue: kind == 0 ? true : kind == 1 ? false : coin == 1))
  }
}

private func classCase(_ seed: Int) throws -> [ClassProbabilities] {
  var generator = SplitMix64(seed: UInt64(10_000 + seed))
  let classes = 2 + generator.below(5)
  return try (0..<(1 + generator.below(20))).map { _ in
    var weights = (0..<classes).map { _ in generator.below(8) }
    weights[generator.below(classes)] += 1
    let sum = Double(weights.reduce(0, +))
    return try #require(
      ClassProbabilities(weights.map { Double($0) / sum }, trueClass: generator.below(classes)))
  }
}

private func evaluated(_ pairs: [(Double, Bool)]) throws -> [ConfidenceOutcome] {
  try pairs.map { try #require(ConfidenceOutcome($0, isTrue: $1)) }
}

@Suite("Confidence")
struct ConfidenceTests {
  @Test(
    .tags(.oracle))
  func
    `errors of bins, Brier's parts and likelihoods equal scikit-learn's and netcal's on 150 cases`()
    throws
  {
    let expected = try Oracles.read("confidence_metrics", as: Expected.self)
    #expect(expected.cases.count >= 100)
    var worst = Array(repeating: 0.0, count: expected.names.count)
    for (seed, wanted) in expected.cases.enumerated() {
      let evaluated = try randomCase(seed)
      var values: [Double?] = []
      for bins in [
        ReliabilityBins(evaluated, equalWidth: 10), ReliabilityBins(evaluated, equalWidth: 15),
        ReliabilityBins(evaluated, equalMass: 10), ReliabilityBins(evaluated, equalMass: 15),
      ] { values += [bins.expectedError, bins.maximumError] }
      let brier = BrierScore(ReliabilityBins(evaluated, equalWidth: 10))
      values += [
        brier?.score, brier?.reliability, brier?.resolution, brier?.uncertainty, brier?.withinBins,
        evaluated.negativeLogLikelihood,
      ]
      try #require(values.count == wanted.count)
      var largest = 0.0
      for (index, (value, wanted)) in zip(values, wanted).enumerated() {
        guard let value, let wanted else {
          #expect(value == nil && wanted == nil, "case \(seed), \(expected.names[index])")
          continue
        }
        // The sums run in another order.
        #expect(
          abs(value - wanted) <= 1e-9 * max(1, abs(wanted)),
          "case \(seed), \(expected.names[index]): \(value), expected \(wanted)")
        worst[index] = max(worst[index], abs(value - wanted))
        largest = max(largest, abs(value - wanted) / max(1, abs(wanted)))
      }
      OracleTable.note("ECE, MCE, Brier, NLL", "netcal 1.4.0, scikit-learn 1.9.1", largest)
      if let brier {
        let sum = brier.reliability - brier.resolution + brier.uncertainty + brier.withinBins
        #expect(abs(sum - brier.score) < 1e-12)
      }
    }
    print("largest differences: \(Array(zip(expected.names, worst)))")
  }

  private struct CorrectedErrors: Decodable {
    var cases: [[Double]]
  }

  /// The same claims and outcomes as in Tests/Oracles/calibration_error.py.
  private func errorCase(_ number: Int) throws -> ReliabilityBins {
    var stream = SplitMix64(seed: UInt64(61_000 + number))
    let (bins, count) = ([10, 20, 25][stream.below(3)], 1 + stream.below(250))
    let evaluated = try (0..<count).map { _ in
      let claim = Double(stream.below(1001)) / 1000
      let chance = [claim, claim * claim, 0.7][number % 3]
      let degree = number % 4 == 3 ? Double(1 + stream.below(64)) / 64 : 1
      let isTrue = Double(stream.below(1000)) / 1000 < chance
      return try #require(ConfidenceOutcome(claim, outcome: isTrue ? degree : 0))
    }
    return ReliabilityBins(evaluated, equalWidth: bins)
  }

  @Test(.tags(.oracle))
  func `calibration errors less what chance adds equal those by scipy's folded normal`() throws {
    let expected = try Oracles.read("calibration_error", as: CorrectedErrors.self).cases
    #expect(expected.count >= 100)
    var largest = 0.0
    for (number, wanted) in expected.enumerated() {
      let bins = try errorCase(number)
      let error = try #require(ExpectedCalibrationError(bins))
      let values = [
        error.binned, error.value, error.corrected(error.binned + 0.03),
        error.corrected(max(0, error.binned - 0.03)),
      ]
      for (value, wanted) in zip(values, wanted) {
        // Sums run in another order, and roots are found in another way.
        #expect(abs(value - wanted) <= 1e-9, "case \(number): \(values), expected \(wanted)")
        largest = max(largest, abs(value - wanted))
      }
      #expect(error.value <= error.binned)
    }
    OracleTable.note("ECE less what chance adds", "scipy 1.17.1", largest)
  }

  @Test func `an error that noise alone explains is 0, and its interval too begins there`() throws {
    var generator = SplitMix64(seed: 4)
    var values: [Double] = []
    var beginning = 0
    for _ in 0..<40 {
      let evaluated = try (0..<300).map { _ in
        let claim = generator.uniform()
        return try #require(ConfidenceOutcome(claim, isTrue: generator.uniform() < claim))
      }
      let error = try #require(
        ExpectedCalibrationError(ReliabilityBins(evaluated, equalWidth: 10)))
      let interval = ClusterBootstrap(resamples: 3).interval(
        of: [error.binned - 0.02, error.binned, error.binned + 0.02], about: error,
        sizes: ClusterSizes(equal: 30))
      if interval.low == 0 { beginning += 1 }
      #expect(error.binned > 0.01)
      values.append(error.value)
    }
    #expect(values.count { $0 == 0 } > 10)
    // A lower bound of 95 % intervals is above the truth in 2.5 %: at least 36 of 40 begin there with 99.7 %.
    #expect(beginning >= 36)
  }

  @Test(.tags(.oracle))
  func `accuracy, ECE, NLL and Brier of several classes equal scikit-learn's`() throws {
    let expected = try Oracles.read("confidence_metrics", as: Expected.self)
    #expect(expected.classCases.count >= 100)
    var worst = 0.0
    for (seed, wanted) in expected.classCases.enumerated() {
      let samples = try classCase(seed)
      let values = [
        samples.accuracy, ReliabilityBins(samples.map(\.top), equalWidth: 10).expectedError,
        samples.negativeLogLikelihood, samples.brierScore,
      ]
      for ((value, wanted), name) in zip(zip(values, wanted), expected.classNames) {
        let value = try #require(value)
        #expect(abs(value - wanted) <= 1e-9 * max(1, wanted), "case \(seed), \(name)")
        worst = max(worst, abs(value - wanted))
        OracleTable.note("ECE, Brier, NLL of classes", "scikit-learn 1.9.1", abs(value - wanted))
      }
    }
    print("largest difference over classes: \(worst)")
  }

  @Test(
    .tags(.oracle),
    .enabled(if: Shared.isAvailable, "needs the shared data"))
  func `the CIFAR-10 model has the recomputed accuracy, ECE, NLL and Brier score`() throws {
    let file = try [UInt8](
      Data(
        contentsOf: Shared.data(
          "calib-netcal/examples/classification/records/cifar10/lenet-5-cifar-10.npz")))
    // Two arrays, stored as they are, each after its own header: 10000 Int64, 10000 x 10 Float32.
    let starts = file.indices.dropLast(10).filter {
      file[$0] == 0x93 && file[$0..<($0 + 6)].dropFirst().elementsEqual("NUMPY".utf8)
    }
    try #require(starts.count == 2)
    let data = starts.map { $0 + 10 + Int(file[$0 + 8]) + Int(file[$0 + 9]) << 8 }
    let truths = (0..<10_000).map { Int(file[data[0] + 8 * $0]) }
    let probabilities = Array(file[data[1]..<(data[1] + 400_000)]).littleEndianFloats
    let samples = try truths.indices.map { row in
      try #require(
        ClassProbabilities(
          probabilities[(row * 10)..<(row * 10 + 10)].map(Double.init), trueClass: truths[row]))
    }
    let ten = ReliabilityBins(samples.map(\.top), equalWidth: 10)
    let fifteen = ReliabilityBins(samples.map(\.top), equalWidth: 15)
    let metrics = [
      samples.accuracy, ten.expectedError, samples.negativeLogLikelihood, samples.brierScore,
      fifteen.expectedError, ten.maximumError, fifteen.maximumError,
    ].map { $0 ?? .nan }
    print("CIFAR-10: \(metrics)")
    // The last digit that was written down; the rest is the output of netcal 1.4.0, which adds in
    // Float32.
    #expect(abs(metrics[0] - 0.5308) < 1e-12)
    for (value, wanted) in zip(metrics[1...3], [0.10789, 1.36987, 0.61415]) {
      #expect(abs(value - wanted) <= 0.000_005, "\(value), expected \(wanted)")
    }
    for (value, wanted) in zip(metrics[4...], [0.107_887_882, 0.185_821_386, 0.185_821_386]) {
      #expect(abs(value - wanted) <= 1e-6, "\(value), expected \(wanted)")
    }
  }

  @Test func `bins are (a, b]: 0 is in the first, 0.3 in the third and 1 in the last of ten`()
    throws
  {
    let bins = ReliabilityBins(
      try evaluated([(0, true), (0.1, true), (0.3, true), (0.3.nextUp, true), (1, true)]),
      equalWidth: 10
    ).bins
    #expect(bins.map(\.high) == [0.1, 0.3, 0.4, 1])
    #expect(bins.map(\.members.count) == [2, 1, 1, 1])
    #expect(bins.map(\.low) == [0, 0.2, 0.3, 0.9])
  }

  @Test func `equal confidences share a bin of equal mass, whatever their order`() throws {
    let pairs = (0..<20).map { ($0 < 12 ? 0.4 : 0.6, $0 % 3 == 0) }
    let bins = ReliabilityBins(try evaluated(pairs), equalMass: 10)
    #expect(bins.bins.map(\.members.count) == [12, 8])
    let again = ReliabilityBins(try evaluated(pairs.reversed()), equalMass: 10)
    #expect(again.bins.map(\.members.count) == [12, 8])
    let distinct = ReliabilityBins(
      try evaluated((0..<20).map { (Double($0) / 20, true) }), equalMass: 10)
    #expect(distinct.bins.allSatisfy { $0.members.count == 2 })
  }

  @Test func `the gap is of the probability of being true, not of being right`() throws {
    // All scores are 0.1, and one in ten is true: perfectly calibrated.
    let bins = ReliabilityBins(
      try evaluated((0..<10).map { (0.1, $0 == 0) }), equalWidth: 10)
    #expect(try #require(bins.expectedError) < 1e-15)
  }

  @Test func `nothing is undefined, and what is no probability is refused`() {
    let bins = ReliabilityBins([], equalWidth: 10)
    #expect(bins.expectedError == nil && bins.maximumError == nil && BrierScore(bins) == nil)
    #expect(ReliabilityBins([], equalMass: 10).bins.isEmpty)
    #expect([ConfidenceOutcome]().negativeLogLikelihood == nil)
    #expect([ClassProbabilities]().accuracy == nil)
    for bad in [-0.1, 1.1, .nan, .infinity] {
      #expect(ConfidenceOutcome(bad, isTrue: true) == nil)
      #expect(ConfidenceOutcome(0.5, outcome: bad) == nil)
      #expect(ClassProbabilities([0.5, bad], trueClass: 0) == nil)
    }
    #expect(ClassProbabilities([0.5, 0.5], trueClass: 2) == nil)
    #expect(ClassProbabilities([], trueClass: 0) == nil)
  }

  @Test func `a sure claim that was wrong costs 52 ln 2, not infinity`() throws {
    let loss = try #require(try evaluated([(1, false)]).negativeLogLikelihood)
    #expect(abs(loss - 52 * log(2)) < 1e-12)
  }
}
