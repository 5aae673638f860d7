import FaceCore
import Metrics
import Records
import Statistics
import Synchronization
import TestSupport
import Testing

private struct Cases: Decodable {
  struct Case: Decodable {
    var first: [Int]
    var low: Double
    var high: Double
  }
  var cases: [Case]
}

/// Clusters as (sum, n), the metric being the ratio of the sums; the same as in Tests/Oracles/bootstrap.py.
private struct RatioCase {
  let bootstrap: ClusterBootstrap
  var sums: [Double] = []
  var sizes: [Double] = []

  init(_ number: Int) {
    var stream = SplitMix64(seed: UInt64(9000 + number))
    let clusters = 10 + stream.below(90)
    let resamples = [1, 2, 19, 99, 200][stream.below(5)]
    let seed = stream.next()
    let level = [0.95, 0.9, 0.5, 0.99][stream.below(4)]
    bootstrap = ClusterBootstrap(resamples: resamples, seed: seed, level: level)
    let kind = stream.below(4)
    for _ in 0..<clusters {
      let size = Double(1 + stream.below(20))
      let mean = kind == 0 ? 0.5 : kind == 1 ? Double(stream.below(3)) : stream.between(-3, 9)
      sizes.append(size)
      sums.append(mean * size)
    }
  }

  /// The metric in one draw; `isOnce` counts a drawn cluster once however often it was drawn.
  func value(ofDraw draw: Int, isOnce: Bool = false) -> Double {
    let drawn = bootstrap.copies(ofDraw: draw, clusters: sums.count)
    let copies = drawn.map { Double(isOnce ? min($0, 1) : $0) }
    let sum = zip(copies, sums).reduce(0) { $0 + $1.0 * $1.1 }
    return sum / zip(copies, sizes).reduce(0) { $0 + $1.0 * $1.1 }
  }

  func interval(isOnce: Bool = false) -> Interval {
    let values = bootstrap.results(ofDraws: 0..<bootstrap.resamples) {
      value(ofDraw: $0, isOnce: isOnce)
    }
    return bootstrap.interval(of: values, sizes: ClusterSizes(equal: sums.count))
  }
}

@Suite("Resampling of clusters")
struct ClusterBootstrapTests {
  @Test(.tags(.oracle))
  func `intervals of 150 random cases equal scipy.stats.bootstrap's percentiles`() throws {
    let expected = try Oracles.read("bootstrap", as: Cases.self).cases
    #expect(expected.count >= 100)
    var differing = 0
    for (number, expected) in expected.enumerated() {
      let ratio = RatioCase(number)
      #expect(ratio.bootstrap.copies(ofDraw: 0, clusters: ratio.sums.count) == expected.first)
      let interval = ratio.interval()
      let (low, high) = (try #require(interval.low), try #require(interval.high))
      let scale = max(1, abs(expected.low), abs(expected.high))
      OracleTable.note(
        "intervals", "scipy 1.17.1",
        max(abs(low - expected.low), abs(high - expected.high)) / scale)
      #expect(abs(low - expected.low) <= 1e-9 * scale, "case \(number)")
      #expect(abs(high - expected.high) <= 1e-9 * scale, "case \(number)")
      let once = ratio.interval(isOnce: true)
      if abs((once.low ?? 0) - expected.low) > 1e-6 { differing += 1 }
    }
    // A resample without its multiplicities is another statistic, and these cases tell them apart.
    #expect(differing > 60, "\(differing)")
  }

  @Test func `a draw takes as many clusters as there are, some more than once, each as likely`() {
    let bootstrap = ClusterBootstrap(seed: 5)
    let draws = (0..<2000).map { bootstrap.copies(ofDraw: $0, clusters: 20) }
    #expect(draws.allSatisfy { $0.reduce(0, +) == 20 })
    #expect(draws.allSatisfy { $0.contains { $0 > 1 } })
    let left = draws.reduce(0) { $0 + $1.count { $0 == 0 } }
    // (1 - 1/20)^20 of 40,000 positions, give or take five deviations of the position's binomial count.
    #expect(abs(Double(left) / 40_000 - 0.3585) < 0.012)
    for cluster in 0..<20 {
      #expect(abs(draws.reduce(0) { $0 + $1[cluster] } - 2000) < 225)
    }
  }

  @Test
  func `the same seed gives the same draws in any order and on any thread; another seed does not`()
  {
    let bootstrap = ClusterBootstrap(seed: 11)
    let alone = (0..<300).map { bootstrap.copies(ofDraw: $0, clusters: 30) }
    let together = bootstrap.results(ofDraws: 0..<300) {
      bootstrap.copies(ofDraw: $0, clusters: 30)
    }
    #expect(together == alone)
    #expect(bootstrap.results(ofDraws: 100..<120) { $0 } == Array(100..<120))
    #expect(bootstrap.copies(ofDraw: 7, clusters: 30) == alone[7])
    #expect(Set(alone).count == 300)
    let other = ClusterBootstrap(seed: 12)
    #expect((0..<300).map { other.copies(ofDraw: $0, clusters: 30) } != alone)
  }

  @Test func `draws run side by side`() {
    let running = Mutex((now: 0, highest: 0))
    _ = ClusterBootstrap().results(ofDraws: 0..<64) { draw in
      running.withLock {
        $0.now += 1
        $0.highest = max($0.highest, $0.now)
      }
      let copies = ClusterBootstrap().copies(ofDraw: draw, clusters: 20_000)
      running.withLock { $0.now -= 1 }
      return copies.count
    }
    #expect(running.withLock { $0.now } == 0 && running.withLock { $0.highest } >= 1)
  }

  @Test(
    arguments: [
      (ClusterBootstrap(resamples: 0), [1, 2], 50, "no resamples were drawn"),
      (
        ClusterBootstrap(), [1, 2], 9,
        "9 clusters of frames (subjects, videos or stills), 10 are needed"
      ),
      (
        ClusterBootstrap(), [1, 2], 1,
        "1 cluster of frames (subjects, videos or stills), 10 are needed"
      ),
      (
        ClusterBootstrap(), Array(repeating: 1, count: 94) + Array(repeating: nil, count: 6), 50,
        "the metric is undefined in 6 of 100 resamples"
      ),
      (ClusterBootstrap(), [1, .infinity], 50, "the metric is infinite in some resamples"),
    ] as [(ClusterBootstrap, [Double?], Int, String)])
  func
    `no interval without resamples, under ten clusters, and where values are missing or infinite`(
      bootstrap: ClusterBootstrap, values: [Double?], clusters: Int, reason: String
    )
  {
    let interval = bootstrap.interval(of: values, sizes: ClusterSizes(equal: clusters))
    #expect(interval == .none(reason))
    #expect(interval.low == nil && interval.high == nil)
  }

  @Test func `a share of undefined resamples that is small is left out`() {
    let values: [Double?] = (0..<95).map { Double($0) } + Array(repeating: nil, count: 5)
    let interval = ClusterBootstrap(level: 0.5).interval(of: values, sizes: ClusterSizes(equal: 10))
    #expect(interval.low == 23.5 && interval.high == 70.5)
    #expect(interval.method?.contains("10 clusters") == true)
  }
}
