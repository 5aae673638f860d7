import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  struct Student: Decodable {
    var freedom, share, distance: Double
  }
  struct Beta: Decodable {
    var a, b, share, quantile: Double
  }
  struct Metric: Decodable {
    var range: String
    var level: Double
    var sizes: [Double]
    var value: Double
    var values: [Double]
    var low, high: Double
  }
  struct Proportion: Decodable {
    var level: Double
    var parts, wholes: [Double]
    var worth, low, high: Double
  }
  var students: [Student]
  var betas: [Beta]
  var metrics: [Metric]
  var proportions: [Proportion]
}

private let ranges: [String: MetricRange] = [
  "unit": .unit, "signedUnit": .signedUnit, "atLeastZero": .atLeastZero, "any": .any,
]

private func proportion(_ parts: [Double], of wholes: [Double]) -> ProportionInterval {
  var interval = ProportionInterval()
  for (part, whole) in zip(parts, wholes) { interval.add(share: part / whole, of: whole) }
  return interval
}

@Suite struct ClusterIntervalTests {
  private let bootstrap = ClusterBootstrap(resamples: 40)

  @Test(.tags(.oracle)) func `quantiles of Student's t and beta equal scipy's`() throws {
    let expected = try Oracles.read("cluster_intervals", as: Expected.self)
    #expect(expected.students.count >= 60 && expected.betas.count >= 80)
    for one in expected.students {
      let distance = StudentT.distance(beyond: one.share, freedom: one.freedom)
      #expect(abs(distance - one.distance) <= 1e-9 * max(1, one.distance), "\(one)")
    }
    for one in expected.betas {
      let quantile = BetaDistribution(a: one.a, b: one.b).quantile(one.share)
      // The logarithm of gamma of a million is good to about 1e-9.
      #expect(abs(quantile - one.quantile) <= 1e-9, "\(one)")
    }
  }

  @Test(.tags(.oracle)) func `intervals of few clusters equal those made of scipy's parts`() throws
  {
    let expected = try Oracles.read("cluster_intervals", as: Expected.self)
    #expect(expected.metrics.count >= 60 && expected.proportions.count >= 100)
    for one in expected.metrics {
      let interval = ClusterBootstrap(resamples: 99, level: one.level).interval(
        of: one.values, about: one.value, in: try #require(ranges[one.range]),
        sizes: ClusterSizes(one.sizes))
      let (low, high) = (try #require(interval.low), try #require(interval.high))
      OracleTable.note(
        "intervals of metrics", "scipy 1.17.1", max(abs(low - one.low), abs(high - one.high)))
      #expect(abs(low - one.low) <= 1e-9 && abs(high - one.high) <= 1e-9, "\(one.range)")
      #expect((low...high).contains(one.value))
    }
    for one in expected.proportions {
      let counts = proportion(one.parts, of: one.wholes)
      let worth = try #require(counts.effectiveCount(level: one.level))
      #expect(abs(worth - one.worth) <= 1e-9 * one.worth)
      let interval = counts.interval(level: one.level)
      let (low, high) = (try #require(interval.low), try #require(interval.high))
      OracleTable.note(
        "intervals of proportions", "scipy 1.17.1", max(abs(low - one.low), abs(high - one.high)))
      #expect(abs(low - one.low) <= 1e-9 && abs(high - one.high) <= 1e-9)
    }
  }

  @Test func `eleven of eleven stills leave the exact bound of the binomial distribution`() throws {
    let ones = [Double](repeating: 1, count: 11)
    let all = proportion(ones, of: ones).interval()
    #expect(try abs(#require(all.low) - pow(0.025, 1.0 / 11)) < 1e-12 && all.high == 1)
    let none = proportion(ones.map { _ in 0 }, of: ones).interval()
    #expect(try none.low == 0 && abs(#require(none.high) - (1 - pow(0.025, 1.0 / 11))) < 1e-12)
  }

  @Test func `faces of one video that are all found count no more than the video`() throws {
    let sizes = [Double](repeating: 50, count: 12)
    let interval = proportion(sizes, of: sizes).interval()
    #expect(try abs(#require(interval.low) - pow(0.025, 1.0 / 12)) < 1e-12)
    let uneven = [400.0] + [Double](repeating: 10, count: 11)
    // 510² / (400² + 11 · 10²) = 1.61 videos of equal size.
    let low = try #require(proportion(uneven, of: uneven).interval().low)
    #expect(abs(low - pow(0.025, 161_100.0 / 260_100)) < 1e-12)
  }

  @Test func `metrics of which all resamples agree are bounded at an end and nowhere else`() throws
  {
    let sizes = ClusterSizes(equal: 11)
    func interval(_ value: Double, _ range: MetricRange) -> Interval {
      bootstrap.interval(
        of: [Double](repeating: value, count: 40), about: value, in: range, sizes: sizes)
    }
    #expect(try abs(#require(interval(1, .unit).low) - pow(0.025, 1.0 / 11)) < 1e-12)
    #expect(interval(1, .unit).high == 1)
    #expect(try interval(0, .unit).low == 0 && #require(interval(0, .unit).high) > 0.2)
    #expect(try #require(interval(1, .signedUnit).low) < 0.5)
    // 1 − .025^(1 / 11) = .285.
    #expect(
      interval(0, .rate) == .none("none in 11 clusters; at most 29 % of clusters have any (95 %)"))
    for (value, range) in [
      (0, .atLeastZero), (3, .atLeastZero), (3, .rate), (0.5, .unit), (0, .any),
    ]
      as [(Double, MetricRange)]
    {
      #expect(
        interval(value, range) == .none("every resample gives the same value, which bounds nothing")
      )
    }
  }

  @Test(arguments: [100_000, 10_000, 2000.0])
  func `resamples far above the value give no interval, not one without an end`(other: Double) {
    // As of times to find a face again: a frame in half of the resamples, seconds to minutes in the others.
    let values = (0..<40).map { $0 % 2 == 0 ? 33.0 : other }
    let interval = bootstrap.interval(
      of: values, about: 33, in: .atLeastZero, sizes: ClusterSizes(equal: 12))
    #expect(interval.low == nil && interval.high == nil)
    #expect(interval.reason == "the resamples lie so far from the value that nothing bounds it")
  }

  @Test func `clusters of very unequal sizes give no interval`() {
    let sizes = ClusterSizes([100] + [Double](repeating: 1, count: 11))
    let interval = bootstrap.interval(
      of: (0..<40).map { Double($0) / 40 }, about: 0.5, in: .unit, sizes: sizes)
    #expect(
      interval == .none("12 clusters of such unequal sizes are worth 1.2, 5 are needed"))
    #expect(ClusterSizes([2, 2, 2, 0]) == ClusterSizes(equal: 3))
  }

  @Test func `an interval holds its value and stays in the range, whatever the resamples`() throws {
    var generator = SplitMix64(seed: 3)
    for number in 0..<400 {
      let range = [MetricRange.proportion, .unit, .signedUnit, .atLeastZero, .any][number % 5]
      let (low, high) = range.ends.map { ($0.lowerBound, $0.upperBound) } ?? (0, 5)
      let centre = Double.random(in: low...high, using: &generator)
      let values = (0..<40).map { _ in
        min(high, max(low, centre + Double.random(in: -0.4...0.4, using: &generator)))
      }
      let value = Double.random(in: low...high, using: &generator)
      let interval = bootstrap.interval(
        of: values, about: value, in: range, sizes: ClusterSizes(equal: 10 + number % 30))
      let bounds = (try #require(interval.low))...(try #require(interval.high))
      #expect(bounds.contains(value), "\(range) \(value) \(bounds)")
      if range != .any {
        #expect(range.holds(bounds.lowerBound) && range.holds(bounds.upperBound), "\(bounds)")
      }
    }
  }

  @Test func `a metric's range is what its formula states`() {
    for definition in MetricCatalog.all {
      let text = definition.formula.contains("in [0, 1]")
      let isUnit = definition.range.ends == 0...1
      #expect(!text || isUnit, "\(definition.name)")
      #expect(definition.range != .proportion || definition.unit == "1", "\(definition.name)")
      #expect(definition.at(stage: "total").range == definition.range)
      #expect(definition.conditional.range == definition.range)
    }
    let proportions = MetricCatalog.all.filter { $0.range == .proportion }.map(\.name)
    for name in [
      "detection.recall@score", "detection.precision@score", "faces.failure_to_acquire",
      "landmarks.fr.interocular@0.08", "tracking.tracked_share", "expressions.<expression>.recall",
    ] {
      #expect(proportions.contains(name))
    }
  }

  @Test func `few clusters get a caution, many and too few do not`() {
    #expect(ClusterBootstrap.caution(ClusterSizes(equal: 9)) == nil)
    #expect(ClusterBootstrap.caution(ClusterSizes(equal: 30)) == nil)
    #expect(
      ClusterBootstrap.caution(ClusterSizes(equal: 12))?.hasPrefix(
        "Intervals rest on 12 clusters of frames only") == true)
    #expect(
      ClusterBootstrap.caution(ClusterSizes([100] + [Double](repeating: 10, count: 40)))?.contains(
        "(worth 17.9 of equal size)") == true)
    for areAlike in [false, true] {
      var clusters = FrameClusters(areStillsAlike: areAlike)
      for frame in 0..<40 {
        clusters.add(frame, sequence: frame, subject: "", isVideo: false)
      }
      let caution = ClusterBootstrap.caution(clusters.sizes)
      #expect((caution?.contains("alike, as frames of a clip are") ?? false) == areAlike)
    }
  }
  @Test func `resamples bound a share whose misses are of one cluster as its counts do`() throws {
    let bootstrap = ClusterBootstrap(resamples: 400)
    let (sizes, whole) = (ClusterSizes(equal: 12), 60.0)
    func low(_ hits: [Double]) throws -> (drawn: Double, counted: Double) {
      let value = hits.reduce(0, +) / (12 * whole)
      let draws = (0..<bootstrap.resamples).map { draw -> Double? in
        let copies = bootstrap.copies(ofDraw: draw, clusters: 12)
        return zip(copies, hits).reduce(0.0) { $0 + Double($1.0) * $1.1 } / (12 * whole)
      }
      let drawn = bootstrap.interval(of: draws, about: value, in: .proportion, sizes: sizes)
      let counted = proportion(hits, of: [Double](repeating: whole, count: 12)).interval()
      return (try #require(drawn.low), try #require(counted.low))
    }
    // By the variance of the resamples alone it would be .99.
    let one = try low([59] + [Double](repeating: 60, count: 11))
    #expect(one.drawn > 0.7 && one.drawn < 0.95 && one.counted > 0.85 && one.counted < 0.95)
    // Where all clusters differ little, both are near the share.
    let all = try low((0..<12).map { 54 + Double($0 % 3) })
    #expect(all.drawn > 0.88 && all.counted > 0.88)
  }
}
