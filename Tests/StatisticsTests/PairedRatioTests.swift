import Foundation
import Statistics
import TestSupport
import Testing

/// Expected values of Tests/Oracles/paired_timing.py.
struct PairedTimingCases: Decodable {
  struct Pairs: Decodable {
    var median: Double
    var hodgesLehmann: Double

    enum CodingKeys: String, CodingKey {
      case median
      case hodgesLehmann = "hodges_lehmann"
    }
  }
  struct Series: Decodable {
    var p: Double
    var shifts: [[Double]]
  }
  var pairs: [Pairs]
  var series: [Series]
}

@Suite("Log ratios of times in pairs")
struct PairedRatioTests {
  /// The same as `times` in Tests/Oracles/paired_timing.py.
  private func times(_ number: Int) -> (base: [UInt64], candidate: [UInt64]) {
    var stream = SplitMix64(seed: UInt64(4200 + number))
    let kind = stream.below(5)
    let count = kind == 4 ? 1 : 1 + stream.below(60)
    var (base, candidate): ([UInt64], [UInt64]) = ([], [])
    for _ in 0..<count {
      let choices = [
        1 + stream.below(5_000_000), 1000 * (1 + stream.below(4)), 7000, stream.below(3),
        1 + stream.below(100),
      ]
      let one = choices[kind]
      let other = kind == 2 ? one : one * (80 + stream.below(60)) / 100
      base.append(UInt64(one))
      candidate.append(UInt64(other))
    }
    return (base, candidate)
  }

  @Test func `median and Hodges-Lehmann estimate of 150 cases equal NumPy's`() throws {
    let expected = try Oracles.read("paired_timing", as: PairedTimingCases.self).pairs
    #expect(expected.count == 150)
    for (number, case_) in expected.enumerated() {
      let (base, candidate) = times(number)
      let ratios = PairedRatios(base: base, candidate: candidate)
      let median = try #require(ratios.median)
      let estimate = try #require(ratios.hodgesLehmann)
      #expect(abs(median - case_.median) < 1e-12, "case \(number)")
      #expect(abs(estimate - case_.hodgesLehmann) < 1e-12, "case \(number)")
    }
  }

  @Test func `without pairs there is no estimate`() {
    let ratios = PairedRatios(base: [], candidate: [])
    #expect(ratios.median == nil)
    #expect(ratios.hodgesLehmann == nil)
    var generator = SplitMix64(seed: 1)
    #expect(BlockBootstrap().interval(of: [], level: 0.95, using: &generator) == nil)
  }

  @Test func `a sample smaller than a block is resampled around the circle`() throws {
    var generator = SplitMix64(seed: 1)
    let bounds = try #require(
      BlockBootstrap(blockLength: 16, resamples: 50).interval(
        of: [1, 2, 3], level: 0.9, using: &generator))
    #expect(bounds.low == 2)
    #expect(bounds.high == 2)
  }

  /// Noise that hangs together, as bursts on a shared machine: each value is 0.6 of the one before and a new part.
  private func noise(_ count: Int, _ stream: inout SplitMix64) -> [Double] {
    var last = 0.0
    return (0..<count).map { _ in
      let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &stream)
      }
      last = 0.6 * last + 0.8 * normal
      return last
    }
  }

  @Test
  func `intervals of 95 % hold the true median in 90 to 99 % of 300 series that hang together`()
    throws
  {
    var stream = SplitMix64(seed: 5)
    var held = 0
    for run in 0..<300 {
      let values = noise(384, &stream)
      var generator = SplitMix64(seed: UInt64(run))
      let bounds = try #require(
        BlockBootstrap(resamples: 400).interval(of: values, level: 0.95, using: &generator))
      if bounds.low <= 0, 0 <= bounds.high { held += 1 }
    }
    #expect((270...297).contains(held), "\(held) of 300")
  }

  @Test func `single pairs instead of blocks miss the true median far more often`() throws {
    var stream = SplitMix64(seed: 5)
    var held = 0
    for run in 0..<300 {
      let values = noise(384, &stream)
      var generator = SplitMix64(seed: UInt64(run))
      let bounds = try #require(
        BlockBootstrap(blockLength: 1, resamples: 400).interval(
          of: values, level: 0.95, using: &generator))
      if bounds.low <= 0, 0 <= bounds.high { held += 1 }
    }
    #expect(held < 255, "\(held) of 300")
  }

  /// Series in which each start of 16 values has an offset of its own, as processes have for life.
  private func held(starts: Int, blocks: [Range<Int>]?, of runs: Int) throws -> Int {
    var stream = SplitMix64(seed: 6)
    var held = 0
    for run in 0..<runs {
      let values = (0..<starts).flatMap { _ in
        let offset = noise(1, &stream)[0]
        return noise(16, &stream).map { $0 + offset }
      }
      var generator = SplitMix64(seed: UInt64(run))
      let bounds = try #require(
        BlockBootstrap(resamples: 400).interval(
          of: values, blocks: blocks, level: 0.95, using: &generator))
      if bounds.low <= 0, 0 <= bounds.high { held += 1 }
    }
    return held
  }

  @Test(
    arguments: [12, 24, 48])
  func
    `intervals of 95 % hold the true median of starts with offsets in 93 to 97 % of 1,000 series`(
      starts: Int
    ) throws
  {
    let blocks = (0..<starts).map { 16 * $0..<16 * $0 + 16 }
    let held = try held(starts: starts, blocks: blocks, of: 1000)
    #expect((930...970).contains(held), "\(held) of 1000")
  }

  /// Normal tails beyond SciPy's `t.ppf(0.975, n - 1)`.
  @Test(
    arguments: [(10, 0.0118438), (12, 0.0138685), (24, 0.0192891), (96, 0.0235583)])
  func `the tails of few blocks are those of Student's t within 1e-5`(blocks: Int, expected: Double)
  {
    #expect(abs(BlockBootstrap.tail(0.025, blocks: blocks) - expected) < 1e-5)
    #expect(BlockBootstrap.tail(0.025, blocks: nil) == 0.025)
  }

  @Test(
    arguments: [
      (12, 2.200985, 0.025), (12, 4, 0.0010431), (12, -1, 0.8305996), (24, 2.5, 0.0099971),
      (96, 3, 0.0017236), (10, 0, 0.5),
    ])
  func `the chance of Student's t is SciPy's t.sf(t, n - 1) within 1e-4`(
    blocks: Int, t: Double, expected: Double
  ) {
    #expect(abs(BlockBootstrap.chance(of: t, blocks: blocks) - expected) < 1e-4)
  }

  @Test func `blocks that do not begin where a process does hold it less often`() throws {
    let held = try held(starts: 24, blocks: nil, of: 300)
    #expect(held < 279, "\(held) of 300")
  }
}
