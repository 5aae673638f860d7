import FaceCore
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

/// A made-up population of videos, each with a difficulty of its own that all of its frames share.
private struct Population {
  /// One frame: the score of the detection on its one face, and that of a detection on nothing.
  struct Frame {
    var found: Double?
    var wrong: Double?
  }

  /// A video of 2 to 20 frames, the longer the harder.
  static func video(_ generator: inout SplitMix64) -> [Frame] {
    let kind = Int.random(in: 0..<4, using: &generator)
    let share = base[kind] + 0.6 * (Double.random(in: 0..<1, using: &generator) - 0.5)
    return (0..<lengths[kind]).map { _ in
      let isFound = Double.random(in: 0..<1, using: &generator) < share
      let isWrong = Double.random(in: 0..<1, using: &generator) < 0.5 * (1 - share)
      func score(_ floor: Double) -> Double {
        floor + 0.5 * share * Double.random(in: 0..<1, using: &generator)
      }
      return Frame(found: isFound ? score(0.4) : nil, wrong: isWrong ? score(0.2) : nil)
    }
  }

  static let lengths = [2, 4, 9, 20]
  static let base = [0.66, 0.65, 0.64, 0.63]
}

/// What two runs give on the same videos, the second with more of the faces and more of nothing.
private struct Runs: Sendable {
  var base = DetectionOperatingPoint(numFaces: 9)
  var candidate = DetectionOperatingPoint(numFaces: 9)
  var average = VOCDetection()
  var clusters = FrameClusters()

  init(videos: Int, _ generator: inout SplitMix64) throws {
    var frame = 0
    for video in 0..<videos {
      for content in Population.video(&generator) {
        let more = Double.random(in: 0..<1, using: &generator)
        let elsewhere = BoundingBox(x: 200, y: 0, width: 40, height: 40)
        let found = content.found.map { [FaceDetection(box: face.box, score: $0)] } ?? []
        let wrong = content.wrong.map { [FaceDetection(box: elsewhere, score: $0)] } ?? []
        try base.add(frame: frame, labels: [face], detections: found + wrong)
        try average.add(frame: frame, labels: [face], detections: found + wrong)
        let added = more < 0.1 ? [FaceDetection(box: face.box, score: 0.3)] : []
        let false2 = more > 0.93 ? [FaceDetection(box: elsewhere, score: 0.25)] : []
        try candidate.add(
          frame: frame, labels: [face],
          detections: (found.isEmpty ? added : found) + (wrong.isEmpty ? false2 : wrong))
        clusters.add(frame, sequence: video, subject: "", isVideo: true)
        frame += 1
      }
    }
  }

  /// Every metric with its range and n, then the paired differences of those of both runs.
  func values(_ draw: FrameDraw?) -> [(name: String, value: Double?, n: Int)] {
    var own = self
    if let draw {
      own.base.draw(draw)
      own.candidate.draw(draw)
      own.average.draw(draw)
    }
    let first = Array(own.base.summarize().prefix(4))
    let differences = zip(first, own.candidate.summarize()).map { one, other in
      (
        name: "difference of \(one.name)",
        value: one.value.flatMap { base in other.value.map { $0 - base } }, n: 0
      )
    }
    return (first + own.average.summarize().prefix(1)).map { ($0.name, $0.value, $0.n) }
      + differences
  }

  /// The intervals that `evaluate` and `compare` give.
  func intervals(_ bootstrap: ClusterBootstrap) -> [(name: String, interval: Interval)] {
    let all = values(nil)
    let draws = (0..<bootstrap.resamples).map { draw in
      values(clusters.draw(bootstrap.copies(ofDraw: draw, clusters: clusters.count)))
    }
    let alone = (0..<clusters.count).map { values(clusters.draw(only: $0)) }
    return all.indices.map { position in
      let range = MetricCatalog.definition(of: all[position].name)?.range ?? .any
      if range == .proportion {
        var counts = ProportionInterval()
        for one in alone where one[position].value != nil {
          counts.add(share: one[position].value ?? 0, of: Double(one[position].n))
        }
        return (all[position].name, counts.interval())
      }
      return (
        all[position].name,
        bootstrap.interval(
          of: draws.map { $0[position].value }, about: all[position].value ?? 0, in: range,
          sizes: clusters.sizes)
      )
    }
  }
}

private let face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 40, height: 40))

/// Whether assertions are compiled away, as in release.
private let isOptimised: Bool = {
  var isOptimised = true
  assert(
    {
      isOptimised = false
      return true
    }())
  return isOptimised
}()

/// FACEGAUGE_COVERAGE asks for so many samples, also without optimisation.
private let asked = ProcessInfo.processInfo.environment["FACEGAUGE_COVERAGE"].flatMap(Int.init)

/// How often intervals of repeated samples hold the value in the population that the samples are of.
@Suite struct IntervalCoverageTests {
  /// Videos of which all faces share a rate, by a beta distribution with this correlation within a video.
  private func held(
    rate: Double, correlation: Double, clusters: Int, samples: Int
  ) throws -> Double {
    var generator = SplitMix64(seed: UInt64(clusters) &* 31 &+ UInt64(rate * 1000))
    var held = 0
    for _ in 0..<samples {
      var counts = ProportionInterval()
      for _ in 0..<clusters {
        let faces = [1, 3, 8, 24][Int.random(in: 0..<4, using: &generator)]
        let own = Self.rate(rate, correlation: correlation, &generator)
        let found = (0..<faces).count { _ in Double.random(in: 0..<1, using: &generator) < own }
        counts.add(share: Double(found) / Double(faces), of: Double(faces))
      }
      let interval = counts.interval()
      let (low, high) = (try #require(interval.low), try #require(interval.high))
      if (low...high).contains(rate) { held += 1 }
    }
    return Double(held) / Double(samples)
  }

  /// A beta-distributed number of a mean, by Jöhnk's method (1964).
  private static func rate(
    _ mean: Double, correlation: Double, _ generator: inout SplitMix64
  ) -> Double {
    guard mean < 1, correlation > 0 else { return mean }
    let strength = (1 - correlation) / correlation
    while true {
      let first = pow(
        Double.random(in: 0..<1, using: &generator), 1 / (mean * strength))
      let second = pow(
        Double.random(in: 0..<1, using: &generator), 1 / ((1 - mean) * strength))
      if first + second <= 1, first + second > 0 { return first / (first + second) }
    }
  }

  @Test(arguments: [0.9, 0.98, 1], [10, 30, 300])
  func `95 % intervals of a proportion hold it near 1, with few clusters and many`(
    rate: Double, clusters: Int
  ) throws {
    for correlation in [0, 0.3] {
      let samples = asked ?? 300
      let share = try held(
        rate: rate, correlation: correlation, clusters: clusters, samples: samples)
      print("proportion \(rate), correlation \(correlation), \(clusters) clusters: \(share)")
      // Three binomial errors below 95 %.
      #expect(share >= 0.95 - 3 * (0.95 * 0.05 / Double(samples)).squareRoot())
    }
  }

  @Test(
    .enabled(if: isOptimised || asked != nil, "takes minutes without optimisation"),
    arguments: [10, 12, 20, 50])
  func `95 % intervals of metrics and of paired differences hold with few clusters`(
    clusters: Int
  ) throws {
    var generator = SplitMix64(seed: 99)
    let truth = try Runs(videos: isOptimised ? 20_000 : 4000, &generator).values(nil)
    let samples = asked ?? 200
    let results = ClusterBootstrap().results(ofDraws: 0..<samples) { sample in
      Result { () throws -> [(name: String, interval: Interval)] in
        var generator = SplitMix64(seed: UInt64(sample) &* 0x9E37 &+ UInt64(clusters))
        return try Runs(videos: clusters, &generator).intervals(
          ClusterBootstrap(resamples: 199, seed: UInt64(sample)))
      }
    }
    let intervals = try results.map { try $0.get() }
    for (position, (name, value, _)) in truth.enumerated() {
      let value = try #require(value)
      let known = intervals.compactMap { sample in
        sample[position].interval.low.flatMap { low in
          sample[position].interval.high.map { low...$0 }
        }
      }
      let share = Double(known.count { $0.contains(value) }) / Double(known.count)
      print("\(name), \(clusters) clusters: \(share) of \(known.count)")
      // Of so few clusters some samples are worth too few for an interval.
      #expect(known.count > samples / 2, "\(name)")
      #expect(share >= 0.95 - 3 * (0.95 * 0.05 / Double(known.count)).squareRoot(), "\(name)")
    }
  }

  @Test func `percentiles alone are too narrow with few clusters, which the test would see`() throws
  {
    var generator = SplitMix64(seed: 5)
    var held = 0
    for sample in 0..<300 {
      let means = (0..<10).map { _ in -log(Double.random(in: 1e-9..<1, using: &generator)) }
      let bootstrap = ClusterBootstrap(resamples: 99, seed: UInt64(sample))
      let values = (0..<99).map { draw -> Double? in
        zip(bootstrap.copies(ofDraw: draw, clusters: 10), means).reduce(0) {
          $0 + Double($1.0) * $1.1
        } / 10
      }
      let interval = bootstrap.interval(of: values, sizes: ClusterSizes(equal: 10))
      if (try #require(interval.low)...(try #require(interval.high))).contains(1) { held += 1 }
    }
    #expect(held < 273, "\(held) of 300")
  }
}
