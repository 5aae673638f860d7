import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Expected: Decodable {
  var cases: [[[Double]?]]
}

private typealias Times = [(nanoseconds: Int64, cluster: Int)]

/// The same times as in Tests/Oracles/percentile_intervals.py.
private func times(_ number: Int) -> Times {
  var stream = SplitMix64(seed: UInt64(62_000 + number))
  let clusters = number % 5 == 4 ? 1 : 8 + stream.below(60)
  return (0..<clusters).flatMap { cluster -> Times in
    let base = 2_000_000 + stream.below(4_000_001)
    let size = clusters == 1 ? 20 + stream.below(600) : 1 + stream.below(30)
    return (0..<size).map { _ in (Int64(base + stream.below(3_000_001)), cluster) }
  }
}

/// How often intervals of repeated samples should hold the truth.
let wantedCoverage = 0.92...0.985

private let repetitions =
  ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init) ?? 200

private let percents = [50, 90, 95, 99]

@Suite("Coverage of percentiles of latency")
struct PercentileIntervalTests {
  @Test(.tags(.oracle)) func `intervals equal those that scipy's distributions give`() throws {
    let expected = try Oracles.read("percentile_intervals", as: Expected.self).cases
    #expect(expected.count >= 100)
    for (number, wanted) in expected.enumerated() {
      let interval = PercentileInterval(times(number))
      for (percent, ends) in zip(percents, wanted) {
        let own = interval.interval(ofPercentile: percent)
        #expect((own.low == nil) == (ends == nil), "case \(number), p\(percent)")
        guard let ends, let low = own.low, let high = own.high else { continue }
        #expect(abs(low - ends[0]) <= 1e-9 && abs(high - ends[1]) <= 1e-9 * high, "case \(number)")
      }
    }
  }

  @Test func `a percentile without an interval says what it needs`() {
    func reason(_ percent: Int, clusters: Int, size: Int) -> String? {
      let times = (0..<clusters * size).map { (Int64($0 * 7 % 90) + 1, $0 / size) }
      return PercentileInterval(times).interval(ofPercentile: percent).reason
    }
    #expect(
      reason(99, clusters: 20, size: 10) == "an interval of p99 needs 368 samples, there are 200")
    #expect(
      reason(99, clusters: 20, size: 50)
        == "an interval of p99 needs 50 clusters of frames, there are 20")
    #expect(reason(50, clusters: 9, size: 50) == ClusterBootstrap.tooFew(9))
    #expect(reason(50, clusters: 1, size: 9) == "an interval of p50 needs 10 samples, there are 9")
    #expect(reason(99, clusters: 1, size: 400) == nil)
  }

  /// Videos of 4 to 40 frames whose times differ by exp(N(0, .3²)), frames by exp(N(0, .2²)).
  @Test(arguments: [12, 30, 100])
  func `intervals hold the percentile where videos differ`(clusters: Int) throws {
    // ln 5 plus quantiles of N(0, .3² + .2²).
    let truths = percents.map {
      5 * exp(StudentT.normalDistance(beyond: Double(100 - $0) / 100) * 0.13.squareRoot())
    }
    var generator = SplitMix64(seed: UInt64(clusters))
    var (held, known) = ([Int](repeating: 0, count: 4), [Int](repeating: 0, count: 4))
    for _ in 0..<repetitions {
      var latency = StageLatency(stages: [StageLatency.total])
      var groups = FrameClusters()
      var frame = 0
      for video in 0..<clusters {
        let own = log(5e6) + 0.3 * generator.normalPair().0
        let length = min(40, max(4, exp(log(10) + 0.6 * generator.normalPair().0)))
        for _ in 0..<Int(length.rounded()) {
          try latency.add(
            frame: frame, stage: StageLatency.total,
            nanoseconds: Int64(exp(own + 0.2 * generator.normalPair().0)))
          groups.add(frame, sequence: video, subject: "", isVideo: true)
          frame += 1
        }
      }
      let metrics = Array(latency.summarize().prefix(4))
      for (index, interval) in latency.intervals(of: metrics, in: groups).enumerated() {
        guard let low = interval?.low, let high = interval?.high else { continue }
        known[index] += 1
        if low <= truths[index], truths[index] <= high { held[index] += 1 }
      }
    }
    for (index, percent) in percents.enumerated() {
      guard percent < 99 || clusters == 100 else {
        #expect(known[index] == 0)
        continue
      }
      let share = Double(held[index]) / Double(known[index])
      print("p\(percent), \(clusters) clusters: \(share) of \(known[index])")
      let chance = 3 * (0.95 * 0.05 / Double(known[index])).squareRoot()
      #expect(known[index] > repetitions * 9 / 10)
      #expect(share >= wantedCoverage.lowerBound - chance, "p\(percent)")
      #expect(share <= wantedCoverage.upperBound + chance, "p\(percent)")
    }
  }

  /// Times that follow each other: an autoregression whose memory is 20 frames of 2,000.
  @Test func `intervals of one clip hold the percentile where slow frames follow each other`() {
    var generator = SplitMix64(seed: 8)
    var held = [Int](repeating: 0, count: 4)
    let runs = min(repetitions, 1000)
    for _ in 0..<runs {
      var state = generator.normalPair().0
      let clip = (0..<2000).map { _ -> (nanoseconds: Int64, cluster: Int) in
        state = 0.95 * state + (1 - 0.95 * 0.95).squareRoot() * generator.normalPair().0
        return (Int64(5e6 * exp(0.2 * state + 0.1 * generator.normalPair().0)), 7)
      }
      let interval = PercentileInterval(clip)
      for (index, percent) in percents.enumerated() {
        let truth =
          5
          * exp(
            StudentT.normalDistance(beyond: Double(100 - percent) / 100) * 0.05.squareRoot())
        let own = interval.interval(ofPercentile: percent)
        if let low = own.low, let high = own.high, low <= truth, truth <= high { held[index] += 1 }
      }
    }
    for (percent, held) in zip(percents, held) {
      let share = Double(held) / Double(runs)
      print("p\(percent), one clip: \(share) of \(runs)")
      #expect(share >= 0.92 - 3 * (0.95 * 0.05 / Double(runs)).squareRoot(), "p\(percent)")
    }
  }
}
