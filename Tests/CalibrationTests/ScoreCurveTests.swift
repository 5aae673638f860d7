import Calibration
import Foundation
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  struct Case: Decodable {
    var precision, recall, falseRate: [Double]
    var metrics: [[Double]]
    var best: [Double]
    var limited: Double?
  }

  var objectives: [String]
  var cases: [Case]
}

/// The same cases as in the oracle's script.
private func randomCase(_ seed: Int) -> [ScoredCase] {
  var generator = SplitMix64(seed: UInt64(seed))
  let count = 2 + generator.below(30)
  let levels = [2, 8, 64, 1 << 20][generator.below(4)]
  let isWeighted = generator.below(2) == 1
  return (0..<count).map { index in
    let truth = index > 1 ? generator.below(2) : index
    let low = generator.below(levels + 1)
    let high = generator.below(levels + 1)
    return ScoredCase(
      score: Double(truth == 1 ? max(low, high) : low) / Double(levels), isPositive: truth == 1,
      weight: isWeighted ? Double(1 + generator.below(4)) : 1)
  }
}

@Suite("Score curves")
struct ScoreCurveTests {
  @Test(.tags(.oracle))
  func `curves, metrics and best thresholds equal scikit-learn's`() throws {
    let expected = try Oracles.read("score_curves", as: Expected.self)
    #expect(expected.cases.count >= 100)
    var worst = 0.0
    for (seed, wanted) in expected.cases.enumerated() {
      let curve = try ScoreCurve(randomCase(seed), minutes: 1)
      var differences = [
        largestDifference(curve.precisionRecall.map(\.y), wanted.precision),
        largestDifference(curve.precisionRecall.map(\.x), wanted.recall),
        largestDifference(curve.roc.map(\.x), wanted.falseRate),
        largestDifference(curve.roc.map(\.y), wanted.recall),
        largestDifference(curve.det.map(\.y), wanted.recall.map { 1 - $0 }),
      ]
      for (position, name) in expected.objectives.enumerated() {
        let metric = try #require(
          ThresholdMetric(named: name, prices: (falsePositive: 2, miss: 5)))
        let values = curve.values(of: metric, at: curve.thresholds).map { $0 ?? .nan }
        differences.append(largestDifference(values, wanted.metrics[position]))
        let search = try ThresholdSearch(
          Objective(parsing: "\(name == "cost" ? "min" : "max") \(name)"),
          prices: (falsePositive: 2, miss: 5))
        #expect(
          try search.optimum(of: curve).threshold == wanted.best[position], "case \(seed), \(name)")
      }
      let limited = try ThresholdSearch(Objective(parsing: "max recall where fp_per_minute <= 3"))
      #expect((try? limited.optimum(of: curve))?.threshold == wanted.limited, "case \(seed)")
      let difference = differences.max() ?? 0
      #expect(difference <= 1e-9, "case \(seed): \(differences)")
      worst = max(worst, difference)
    }
    print("largest difference of curves: \(worst)")
  }

  @Test func `a threshold accepts the scores at it and above, wherever it lies between them`()
    throws
  {
    var generator = SplitMix64(seed: 7)
    let cases = (0..<300).map { _ in
      ScoredCase(score: Double(generator.below(40)) / 40, isPositive: generator.below(2) == 1)
    }
    let curve = try ScoreCurve(cases)
    for position in -3...90 {
      let threshold = Double(position) / 80
      let accepted = cases.filter { $0.score >= threshold }
      let counts = curve.counts(at: threshold)
      #expect(counts.truePositives == accepted.reduce(0) { $0 + $1.positive })
      #expect(counts.falsePositives == accepted.reduce(0) { $0 + $1.negative })
    }
    #expect(curve.counts(at: .nan).truePositives == 0)
    #expect(try ScoreCurve(cases.shuffled(using: &generator)) == curve)
  }

  @Test func `a face without a score counts as missed at every threshold`() throws {
    let curve = try ScoreCurve([
      ScoredCase(score: 0.5, isPositive: true), .missed(), .missed(),
      ScoredCase(score: 0.2, isPositive: false),
    ])
    #expect(curve.thresholds == [0.5, 0.2])
    #expect(ThresholdMetric.recall.value(of: curve.counts(at: 0)) == 1.0 / 3)
  }

  @Test func `what is undefined is nil, and what is no score is refused with its position`() throws
  {
    let empty = try ScoreCurve([])
    #expect(empty.roc.isEmpty)
    for name in ThresholdMetric.names {
      let metric = try #require(ThresholdMetric(named: name))
      #expect(metric.value(of: empty.counts(at: 0.5)) == nil, "\(name)")
    }
    let positive = try ScoreCurve([ScoredCase(score: 1, isPositive: true)])
    #expect(positive.roc.isEmpty)
    for bad in [
      ScoredCase(score: .nan, isPositive: true), ScoredCase(score: .infinity, isPositive: true),
      ScoredCase(score: -.infinity, isPositive: false),
      ScoredCase(score: 0, isPositive: true, weight: -1),
      ScoredCase(score: 0, isPositive: true, weight: .infinity),
    ] {
      let error = #expect(throws: CalibrationError.self) {
        _ = try ScoreCurve([ScoredCase(score: 0, isPositive: true), bad])
      }
      #expect(error?.description.contains("case 2") == true)
    }
    for minutes in [0, -1, .nan, .infinity] {
      #expect(throws: CalibrationError.self) { _ = try ScoreCurve([], minutes: minutes) }
    }
  }

  @Test func `10,000 thresholds over 100,000 scored faces have the values that each has alone`()
    throws
  {
    var generator = SplitMix64(seed: 3)
    let cases = (0..<100_000).map { _ in
      ScoredCase(score: generator.share(), isPositive: generator.below(2) == 1)
    }
    let settings = (0..<10_000).map { Double($0) / 10_000 }
    let curve = try ScoreCurve(cases)
    let values = curve.values(of: .fBeta(1), at: settings)
    #expect(values.count == 10_000 && values.allSatisfy { $0 != nil })
    for index in stride(from: 0, to: settings.count, by: 997) {
      #expect(values[index] == curve.values(of: .fBeta(1), at: [settings[index]])[0])
      let isFound = cases.filter { $0.score >= settings[index] }
      let hits = Double(isFound.count { $0.positive == 1 })
      let all = Double(isFound.count + cases.count { $0.positive == 1 })
      #expect(abs((values[index] ?? 0) - 2 * hits / all) < 1e-12)
    }
  }
}
