import Foundation
import Metrics
import Records
import Statistics
import Testing

@Suite struct FrameBudgetTests {
  private func budget(_ misses: [Bool]) -> FrameBudget {
    FrameBudget(nanoseconds: 10.5, frames: misses.map { $0 ? 11 : 10 })
  }

  private func value(_ name: String, _ budget: FrameBudget) throws -> Double? {
    try #require(budget.summarize().first { $0.name == name }).value
  }

  @Test func `a frame that takes just the budget keeps it`() {
    #expect(FrameBudget(nanoseconds: 10, frames: [9, 10, 11]).misses == [false, false, true])
  }

  @Test func `misses are counted, alone and in a row, and the headroom is over p99`() throws {
    var frames = [Int64](repeating: 5, count: 100)
    for frame in [3, 50, 51, 52, 90] { frames[frame] = 20 }
    let budget = FrameBudget(nanoseconds: 10, frames: frames)
    #expect(try value("budget.miss_rate", budget) == 0.05)
    #expect(try value("budget.longest_miss_run", budget) == 3)
    #expect(try value("budget.headroom", budget) == 0.5)
    let few = FrameBudget(nanoseconds: 10, frames: [5, 5])
    #expect(try value("budget.headroom", few) == nil)
    #expect(few.summarize().last?.needs == 100)
  }

  @Test func `the interval of the share over budget knows clips, not frames`() throws {
    var clusters = FrameClusters()
    for frame in 0..<200 {
      clusters.add(frame, sequence: frame / 10, subject: "", isVideo: true)
    }
    func interval(_ misses: [Bool]) throws -> Interval {
      try #require(budget(misses).summarize(in: clusters).first).interval
    }
    let none = try interval([Bool](repeating: false, count: 200))
    // 0 of 20 clips: 1 − .025^(1 / 20).
    #expect(none.low == 0)
    #expect(try abs(#require(none.high) - (1 - pow(0.025, 1.0 / 20))) < 1e-9)
    // A clip of slow frames is one case of 20, not ten of 200.
    let slow = try interval((0..<200).map { $0 < 10 })
    #expect(try #require(slow.low) < 0.002)
    #expect(try #require(slow.high) > 0.2)
  }

  @Test func `without frames nothing is defined`() {
    let metrics = FrameBudget(nanoseconds: 10, frames: []).summarize()
    #expect(metrics.count == 3)
    #expect(metrics.allSatisfy { $0.value == nil && $0.reason == "no frame was timed" })
  }

  @Test(arguments: [2, 3, 7, 30, 61], [120, 200, 997])
  func `a miss every few frames has that period`(period: Int, count: Int) throws {
    guard count / period >= 4 else { return }
    let stutter = budget((0..<count).map { $0 % period == period - 1 }).stutter
    #expect(try #require(stutter).periodFrames == period)
  }

  @Test(arguments: 0..<20)
  func `a period is found among a few stray misses, and one that comes a frame late now and then`(
    seed: UInt64
  ) throws {
    var random = SplitMix64(seed: seed)
    var misses = (0..<600).map { $0 % 24 == 0 }
    for _ in 0..<5 { misses[Int.random(in: 0..<600, using: &random)] = true }
    for _ in 0..<2 {
      let position = 24 * Int.random(in: 1..<24, using: &random)
      misses[position] = false
      misses[position + 1] = true
    }
    #expect(try #require(budget(misses).stutter).periodFrames == 24)
  }

  /// At random misses no lag should look regular; 0.5 is more than five standard deviations off for all of these.
  @Test(arguments: 0..<100)
  func `misses at random have no period`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let rate = Double.random(in: 0.05..<0.5, using: &random)
    let misses = (0..<600).map { _ in Double.random(in: 0..<1, using: &random) < rate }
    #expect(budget(misses).stutter == nil)
  }

  private static let withoutPeriod: [[Bool]] = [
    [], [true], [Bool](repeating: true, count: 50), [Bool](repeating: false, count: 50),
    [true, true, true, true], (0..<60).map { [10, 30, 50].contains($0) },
  ]

  @Test(arguments: [1, 5, 12, 90])
  func `a single row of misses has no period, and rows that come back have theirs`(length: Int)
    throws
  {
    let row = (0..<300).map { (100..<100 + length).contains($0) }
    #expect(budget(row).stutter == nil)
    let rows = (0..<1500).map { $0 % 250 < length }
    #expect(try #require(budget(rows).stutter).periodFrames == 250)
  }

  @Test(arguments: withoutPeriod)
  func `too few misses, none, and nothing but misses have no period`(misses: [Bool]) {
    #expect(budget(misses).stutter == nil)
  }
}
