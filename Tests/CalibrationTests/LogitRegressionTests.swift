import Calibration
import Metrics
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  struct Regression: Decodable {
    var weights: [[Double]]
    var logits, concordance, error: [Double]
  }
  var regressions: [Regression]
}

/// The same cases as in `blendshape_head.py`.
private struct Case {
  var inputs, coefficients: [[Double]]
  var clusters: [Int]
  var ridge, margin: Double

  init(_ number: Int) {
    var stream = SplitMix64(seed: UInt64(9000 + number))
    let count = 20 + stream.below(40)
    let width = 2 + stream.below(5)
    let clusterCount = 2 + stream.below(6)
    ridge = [1e-3, 0.01, 0.1][stream.below(3)]
    margin = [1e-4, 1e-3][stream.below(2)]
    inputs = (0..<count).map { _ in (0..<width).map { _ in stream.between(-4, 4) } }
    coefficients = (0..<count).map { _ in
      let first = Double(stream.below(1025)) / 1024
      return [first, Double(stream.below(1025)) / 1024, 0.25]
    }
    clusters = (0..<count).map { $0 % clusterCount }
  }
}

@Suite("Ridge regression of logits")
struct LogitRegressionTests {
  @Test(.tags(.oracle))
  func `weights and held-out agreement are those of NumPy's least squares`() throws {
    let expected = try Oracles.read("blendshape_head", as: Expected.self).regressions
    #expect(expected.count == 12)
    for (number, expected) in expected.enumerated() {
      let one = Case(number)
      let clusters = Set(one.clusters).count
      // With as many folds as clusters each is held out alone, whatever the seed.
      let regression = try LogitRegression(
        inputs: one.inputs, coefficients: one.coefficients, clusters: one.clusters,
        folds: clusters, ridge: one.ridge, margin: one.margin, seed: UInt64(number))
      #expect(regression.varying == [0, 1] && regression.folds == clusters)
      // Normal equations square the condition number; the inputs' is below 100.
      for (row, weights) in zip(regression.fit.weights, expected.weights) {
        for (one, other) in zip(row, weights) { #expect(abs(one - other) < 1e-9) }
      }
      for (one, other) in zip(regression.fit.meanOutput, expected.logits) {
        #expect(abs(one - other) < 1e-12)
      }
      let heldOut = try #require(regression.heldOut)
      for channel in 0..<2 {
        let concordance = try #require(heldOut[channel].concordance)
        #expect(abs(concordance - expected.concordance[channel]) < 1e-9)
        #expect(abs(heldOut[channel].meanAbsoluteError - expected.error[channel]) < 1e-9)
      }
      #expect(heldOut[2].meanAbsoluteError == 0)
    }
  }

  /// A cluster whose coefficient follows from its own input alone cannot be told by the others.
  @Test func `no cluster is predicted by a fit to itself`() throws {
    let clusters = (0..<40).map { $0 / 10 }
    let inputs = clusters.map { cluster in (0..<4).map { $0 == cluster ? 1.0 : 0.0 } }
    let coefficients = clusters.map { [[0.1, 0.9, 0.2, 0.8][$0]] }
    let regression = try LogitRegression(
      inputs: inputs, coefficients: coefficients, clusters: clusters, ridge: 1e-6, margin: 1e-3)
    let own = regression.fit(inputs[0])
    #expect(abs(LogisticFit.sigmoid(own[0]) - 0.1) < 1e-3)
    let heldOut = try #require(regression.heldOut?.first)
    #expect(heldOut.meanAbsoluteError > 0.3)
  }

  @Test func `a single cluster leaves the held-out agreement undefined`() throws {
    let one = Case(0)
    let regression = try LogitRegression(
      inputs: one.inputs, coefficients: one.coefficients, clusters: one.clusters.map { _ in 7 },
      margin: 1e-3)
    #expect(regression.heldOut == nil && regression.folds == 0 && regression.clusters == 1)
  }

  @Test func `too few faces, and coefficients that do not vary, are refused`() throws {
    let one = Case(0)
    let few = #expect(throws: CalibrationError.self) {
      try LogitRegression(
        inputs: Array(one.inputs.prefix(19)), coefficients: Array(one.coefficients.prefix(19)),
        clusters: Array(one.clusters.prefix(19)), margin: 1e-3)
    }
    #expect(few?.description == "cannot fit a head: expected 20 faces or more, found 19")
    let flat = #expect(throws: CalibrationError.self) {
      try LogitRegression(
        inputs: one.inputs, coefficients: one.coefficients.map { _ in [0.5] },
        clusters: one.clusters, margin: 1e-3)
    }
    #expect(flat?.description == "cannot fit a head: no coefficient varies")
  }
}
