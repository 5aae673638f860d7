import Foundation
import Running
import Statistics
import Testing

/// Lasting changes of the time of frames, in runs whose noise is known.
@Suite struct TimeShiftTests {
  /// A run at 30 frames a second: 20 ms a frame times what `level` says of a time in seconds, noise of 15 % with a heavy tail,
  /// and a wander of 2 % that lasts for `memory` seconds.
  private func run(
    seconds: Double, seed: UInt64, memory: Double = 0.2, level: (Double) -> Double
  ) -> [TimeShift] {
    let (answers, times) = made(seconds: seconds, seed: seed, memory: memory, level: level)
    return TimeShift.all(answers: answers, nanoseconds: times)
  }

  private func start(
    seconds: Double, seed: UInt64, level: (Double) -> Double
  ) -> SlowStart? {
    let (answers, times) = made(seconds: seconds, seed: seed, memory: 0.2, level: level)
    return SlowStart(
      answers: answers, nanoseconds: times, TimeShift.all(answers: answers, nanoseconds: times))
  }

  private func made(
    seconds: Double, seed: UInt64, memory: Double, level: (Double) -> Double
  ) -> (answers: [UInt64], times: [UInt64]) {
    var generator = SplitMix64(seed: seed)
    var (answers, times): ([UInt64], [UInt64]) = ([], [])
    var wander = 0.0
    let kept = exp(-1 / (30 * memory))
    for frame in 0..<Int(seconds * 30) {
      let at = Double(frame) / 30
      let noise = (0..<12).reduce(-6.0) { sum, _ in
        sum + Double.random(in: 0..<1, using: &generator)
      }
      wander = kept * wander + (1 - kept * kept).squareRoot() * 0.02 * noise
      let tail = Double.random(in: 0..<1, using: &generator)
      let own = Double.random(in: -0.15...0.15, using: &generator) + (tail > 0.98 ? 1 : 0)
      answers.append(7_000_000_000 + UInt64(at * 1e9))
      times.append(UInt64(20e6 * level(at) * (1 + wander + own)))
    }
    return (answers, times)
  }

  @Test(arguments: [0.2, 5.0])
  func `a run that begins as it goes on has no slow start`(memory: Double) {
    let alarms = (0..<200).count { seed in
      let (answers, times) = made(seconds: 60, seed: UInt64(3000 + seed), memory: memory) { _ in 1 }
      return SlowStart(answers: answers, nanoseconds: times, []) != nil
    }
    // 1 % of 200 is 2; more than 8 in 2 of 10,000 tests.
    #expect(alarms <= 8, "\(alarms) of 200")
  }

  @Test func `the slow first frames are counted, before throttling too`() throws {
    for seed in 0..<20 {
      // 12 frames of three times the time; a frame more where the next one is slow by chance.
      let found = try #require(
        start(seconds: 120, seed: UInt64(seed)) { $0 < 0.39 ? 3 : $0 < 60 ? 1 : 1.3 })
      #expect((12...13).contains(found.frames), "\(found)")
      // The median of 12 frames is off by less than one of them: noise of 15 %, and thrice the wander of 2 %.
      #expect(abs(found.before / found.after - 3) < 3 * 0.21, "\(found)")
      #expect(found.after < 21e6, "\(found)")
    }
    let first = try #require(start(seconds: 30, seed: 1) { $0 < 0.01 ? 20 : 1 })
    #expect(first.frames == 1 && first.text.hasPrefix("the first frame took"), "\(first)")
    #expect(start(seconds: 3, seed: 1) { $0 < 0.4 ? 3 : 1 } == nil)
  }

  @Test func `throttling after a minute is found, and when it came`() throws {
    var covered = 0
    for ratio in [1.1, 1.3] {
      for seed in 0..<10 {
        let shifts = run(seconds: 180, seed: UInt64(seed)) { $0 < 60 ? 1 : ratio }
        #expect(shifts.count == 1)
        let shift = try #require(shifts.first)
        #expect(abs(shift.seconds - 60) <= 5, "\(shift)")
        // Medians of 1,800 frames before it and 3,600 after it, with noise of 15 %: .6 % of standard error.
        #expect(abs(shift.ratio - ratio) < 0.02, "\(shift)")
        covered += shift.interval.contains(60) ? 1 : 0
      }
    }
    // Fewer than 17 of 20 intervals of 95 % cover in 2 % of all tests.
    #expect(covered >= 17, "\(covered) of 20")
  }

  @Test(arguments: [0.2, 5.0])
  func `ten minutes without a change have none`(memory: Double) {
    let alarms = (0..<100).count { seed in
      !run(seconds: 600, seed: UInt64(1000 + seed), memory: memory) { _ in 1 }.isEmpty
    }
    #expect(alarms <= 5, "\(alarms) of 100")
  }

  @Test func `a slow start is told from the steady state, and throttling from both`() throws {
    let shifts = run(seconds: 300, seed: 5) { $0 < 8 ? 1.6 : $0 < 120 ? 1 : 1.2 }
    #expect(shifts.count == 2)
    let (start, heat) = (try #require(shifts.first), try #require(shifts.last))
    #expect(start.ratio < 0.7 && start.interval.contains(8), "\(start)")
    #expect(heat.ratio > 1.15 && heat.interval.contains(120), "\(heat)")
  }

  @Test func `a short run and one without frames have none`() {
    #expect(run(seconds: 15, seed: 1) { $0 < 7 ? 1 : 2 }.isEmpty)
    #expect(TimeShift.all(answers: [], nanoseconds: []).isEmpty)
    #expect(TimeShift.all(answers: [5, 5], nanoseconds: [1, 9]).isEmpty)
    // Every frame as long as every other: nothing is left, and nothing is divided by it.
    let even = TimeShift.all(
      answers: (0..<3000).map { $0 * 33_333_333 }, nanoseconds: [UInt64](repeating: 5, count: 3000))
    #expect(even.isEmpty)
  }
}
