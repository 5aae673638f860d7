import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct RankCases: Decodable, Sendable {
  struct Case: Decodable, Sendable {
    var percent: Int
    var n: Int
    var level: Double
    var ranks: [Int]?
  }
  var ranks: [Case]
}

@Suite struct OrderStatisticsTests {
  @Test(.tags(.oracle)) func `ranks equal those that scipy's binomial gives`() throws {
    let cases = try Oracles.read("binomial_gates", as: RankCases.self).ranks
    #expect(cases.count > 100)
    for expected in cases {
      let own = OrderStatistics.ranks(
        ofPercentile: expected.percent, count: expected.n, level: expected.level)
      #expect(own.map { [$0.lowerBound, $0.upperBound] } == expected.ranks, "\(expected)")
      let needs = OrderStatistics.samplesNeeded(
        forPercentile: expected.percent, level: expected.level)
      #expect((expected.n >= needs) == (expected.ranks != nil), "\(expected)")
    }
  }

  @Test func `there are no ranks without samples, and of no percentile`() {
    #expect(OrderStatistics.ranks(ofPercentile: 50, count: 100) == 40...61)
    #expect(OrderStatistics.ranks(ofPercentile: 50, count: 0) == nil)
    #expect(OrderStatistics.ranks(ofPercentile: 0, count: 10) == nil)
    #expect(OrderStatistics.ranks(ofPercentile: 100, count: 10) == nil)
  }

  /// The coverage is at least the level, and as the ranks are whole numbers a little more. Over 4000 draws the share
  /// has a standard deviation of 0.0034.
  @Test(arguments: [(50, 40), (90, 120), (95, 200), (99, 600)])
  func `intervals of skewed two-humped samples hold the true percentile as often as their level`(
    percent: Int, count: Int
  ) throws {
    var random = SplitMix64(seed: UInt64(1000 + percent))
    let ranks = try #require(OrderStatistics.ranks(ofPercentile: percent, count: count))
    let below = BinomialDistribution(trials: count, probability: Double(percent) / 100)
    let exact =
      below.probability(atMost: ranks.upperBound - 1)
      - below.probability(
        atMost: ranks.lowerBound - 1)
    #expect(exact >= 0.95 && exact < 0.99)
    // A monotone map of uniform numbers onto two humps: the p-quantile of the map is the map of p.
    func time(_ uniform: Double) -> Int64 {
      Int64(1e6 * (uniform < 0.8 ? 4 + uniform * uniform : 12 + 30 * (uniform - 0.8)))
    }
    let truth = Double(time(Double(percent) / 100)) / 1e6
    let draws = 4000
    var held = 0
    for _ in 0..<draws {
      let sorted = (0..<count).map { _ in time(Double.random(in: 0..<1, using: &random)) }.sorted()
      let bounds = [ranks.lowerBound, ranks.upperBound].map { Double(sorted[$0 - 1]) / 1e6 }
      if bounds[0] <= truth, truth <= bounds[1] { held += 1 }
    }
    let coverage = Double(held) / Double(draws)
    #expect(abs(coverage - exact) < 4 * (exact * (1 - exact) / Double(draws)).squareRoot())
  }

  @Test func `a latency's percentiles get intervals and other metrics none`() throws {
    var latency = StageLatency(stages: ["total"])
    for frame in 0..<400 {
      try latency.add(
        frame: frame, stage: "total", nanoseconds: Int64(frame) * 1000,
        population: frame < 100 ? .detectorRan : .tracked)
    }
    var clusters = FrameClusters()
    for frame in 0..<400 {
      clusters.add(frame, sequence: frame / 8, subject: "", isVideo: true)
    }
    let metrics = latency.summarize()
    for (metric, interval) in zip(metrics, latency.intervals(of: metrics, in: clusters)) {
      let isPercentile = metric.name.contains(".p")
      #expect((interval != nil) == isPercentile)
      guard isPercentile, let low = interval?.low, let high = interval?.high else { continue }
      #expect(try low <= #require(metric.value) && #require(metric.value) <= high)
    }
    var metric = metrics[0]
    metric.slice = "subject=0"
    #expect(latency.intervals(of: [metric], in: clusters) == [nil], "a slice of other frames")
    let gate = Gate(metric: "latency.total.p95", slice: "tracked", direction: .atMost, limit: 0.3)
    #expect(
      latency.count(beyondLimitOf: gate) == LimitCount(samples: 300, beyond: 99))
    #expect(
      latency.count(
        beyondLimitOf: Gate(metric: "detection.ap", direction: .atLeast, limit: 1)) == nil)
  }
}
