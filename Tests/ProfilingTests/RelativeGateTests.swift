import Foundation
import Metrics
import Profiling
import Statistics
import TestSupport
import Testing

@Suite("The relative gate")
struct RelativeGateTests {
  /// Times on a machine that others use: all three slow down together, each has noise and rare interruptions.
  private func pairs(
    _ stage: String, nanoseconds: Double, slowDown: Double, count: Int,
    _ stream: inout SplitMix64
  ) -> StagePairs {
    var pairs = StagePairs(stage: stage)
    var load = 0.0
    for index in 0..<count {
      load = 0.9 * load + 0.1 * Double.random(in: -1...1, using: &stream)
      func time(_ factor: Double) -> UInt64 {
        let noise = exp(load + 0.03 * Double.random(in: -1...1, using: &stream))
        let burst = stream.below(20) == 0 ? 1 + 2 * Double.random(in: 0...1, using: &stream) : 1
        return UInt64(nanoseconds * factor * noise * burst)
      }
      pairs.add(base: time(1), again: time(1), candidate: time(1 + slowDown), start: index / 16)
    }
    return pairs
  }

  private func evaluate(_ stages: [StagePairs], seed: UInt64 = 1) -> [RelativeFinding] {
    var gate = RelativeGate()
    gate.bootstrap.resamples = 1000
    var generator = SplitMix64(seed: seed)
    return gate.evaluate(stages, using: &generator)
  }

  @Test
  func `of 100 gates over equal programs none fails, and no interval misses 0 by more than δ`() {
    var stream = SplitMix64(seed: 11)
    for seed in 0..<100 {
      let findings = evaluate(
        [
          pairs("a", nanoseconds: 1e6, slowDown: 0, count: 192, &stream),
          pairs("b", nanoseconds: 2e5, slowDown: 0, count: 192, &stream),
          pairs("total", nanoseconds: 2e6, slowDown: 0, count: 192, &stream),
        ], seed: UInt64(seed))
      #expect(RelativeFinding.overall(findings) != .fail)
      #expect(findings.allSatisfy { $0.low <= $0.limit && $0.high >= -$0.limit })
    }
  }

  @Test
  func `a slow-down of 10 % fails its stage alone in each of 30 gates, and one of 3 % in none`() {
    var stream = SplitMix64(seed: 12)
    for (slowDown, failing) in [(0.1, ["a"]), (0.03, [])] {
      for seed in 0..<30 {
        let findings = evaluate(
          [
            pairs("a", nanoseconds: 3e5, slowDown: slowDown, count: 384, &stream),
            pairs("b", nanoseconds: 3e5, slowDown: 0, count: 384, &stream),
            pairs("total", nanoseconds: 2e6, slowDown: 0, count: 384, &stream),
          ], seed: UInt64(seed))
        #expect(findings.filter { $0.verdict == .fail }.map(\.stage) == failing)
      }
    }
  }

  /// A base whose second process is slower for all its life, and a candidate, by so many percent.
  private func lasting(again: UInt64, candidate: UInt64) throws -> RelativeFinding {
    var pairs = StagePairs(stage: "total")
    for index in 0..<320 {
      let time = UInt64(1_000_000 + 1000 * (index % 7))
      pairs.add(
        base: time, again: time * (100 + again) / 100, candidate: time * (100 + candidate) / 100,
        start: index / 16)
    }
    return try #require(evaluate([pairs]).first)
  }

  @Test func `the noise of the base against itself widens what is allowed, up to twice`() throws {
    let finding = try lasting(again: 3, candidate: 8)
    #expect(abs(finding.sigma - log(1.03)) < 1e-3)
    #expect(abs(finding.tolerance - 3 * log(1.03)) < 3e-3)
    #expect(finding.asked == 0.05 && finding.verdict == .pass && !finding.isTooNoisy)
    #expect(abs(finding.slowDown - 0.08) < 1e-3)
    #expect(try lasting(again: 3, candidate: 12).verdict == .fail)
  }

  @Test func `where noise allows more than twice what was asked nothing passes`() throws {
    for candidate: UInt64 in [0, 8, 11] {
      let finding = try lasting(again: 4, candidate: candidate)
      #expect(finding.tolerance > 0.1 && finding.isTooNoisy)
      #expect(finding.verdict == .inconclusive && finding.isOpen)
    }
    #expect(try lasting(again: 4, candidate: 20).verdict == .fail, "more than noise allows")
  }

  @Test
  func `stages of under 1 % of the total, and with too few pairs, are shown and not evaluated`() {
    var stream = SplitMix64(seed: 13)
    let findings = evaluate([
      pairs("tiny", nanoseconds: 9000, slowDown: 5, count: 192, &stream),
      pairs("rare", nanoseconds: 1e6, slowDown: 5, count: 47, &stream),
      pairs("grown", nanoseconds: 9000, slowDown: 50, count: 192, &stream),
      pairs("total", nanoseconds: 6e6, slowDown: 0, count: 192, &stream),
    ])
    func one(_ stage: String) -> RelativeFinding? { findings.first { $0.stage == stage } }
    #expect(one("tiny")?.untestedReason == "takes under 1 % of the total")
    #expect(one("rare")?.untestedReason == "ran in 47 pairs, 48 are needed")
    #expect(one("rare")?.isOpen == true)
    var few = StagePairs(stage: "total")
    for index in 0..<320 { few.add(base: 1000, again: 1000, candidate: 2000, start: index / 40) }
    #expect(evaluate([few]).map(\.untestedReason) == ["ran after 8 starts, 10 are needed"])
    #expect(one("tiny")?.isOpen == false)
    #expect(one("tiny")?.verdict == nil)
    #expect(one("grown")?.verdict == .fail)
  }

  @Test func `an inconclusive tail decides nothing, and a tail that is far longer fails`() throws {
    var stream = SplitMix64(seed: 14)
    var pairs = StagePairs(stage: "total")
    for index in 0..<640 {
      func time(_ share: Int) -> UInt64 {
        let isSlow = stream.below(100) < share
        return UInt64((isSlow ? 3_000_000 : 1_000_000) + stream.below(20_000))
      }
      pairs.add(base: time(2), again: time(2), candidate: time(30), start: index / 16)
    }
    let findings = evaluate([pairs])
    #expect(findings.map(\.stage) == ["total", "total.p90", "total.p95"])
    #expect(findings[0].verdict == .pass)
    #expect(findings[1].verdict == .fail)
    #expect(abs(findings[1].slowDown - 2) < 0.1)
    #expect(RelativeFinding.overall(findings) == .fail)
    #expect(RelativeFinding.overall([]) == .inconclusive)
  }

  @Test func `p is adjusted over the stages before a stage fails`() {
    var stream = SplitMix64(seed: 15)
    let stages = (0..<8).map { index in
      pairs("s\(index)", nanoseconds: 1e6, slowDown: index == 0 ? 0.2 : 0, count: 192, &stream)
    }
    let findings = evaluate(stages)
    let adjusted = MultipleTesting.holm(findings.map(\.p))
    #expect(findings.map(\.adjustedP) == adjusted)
    #expect(findings[0].verdict == .fail)
  }
}
