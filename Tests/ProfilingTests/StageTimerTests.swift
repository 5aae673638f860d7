import Foundation
import Platform
import Profiling
import Testing

struct StageTimerTests {
  private struct Failure: Error {}

  /// Returns after that time at least, however fast or busy the machine is.
  private func wait(milliseconds: UInt64) {
    MonotonicClock.sleep(until: MonotonicClock.nanoseconds() + milliseconds * 1_000_000)
  }

  @Test func `the clock never runs backwards and keeps pace with sleep`() {
    let start = MonotonicClock.nanoseconds()
    wait(milliseconds: 5)
    let end = MonotonicClock.nanoseconds()
    #expect(end - start >= 5_000_000)
    #expect(MonotonicClock.nanoseconds() >= end)
  }

  @Test func `a stage that runs twice has the sum and the total is no less than the stages`() throws
  {
    var timer = StageTimer(stages: ["a", "b"])
    timer.beginFrame()
    timer.measure(0) { wait(milliseconds: 3) }
    timer.measure(0) { wait(milliseconds: 4) }
    timer.measure(1) { wait(milliseconds: 2) }
    let total = MonotonicClock.nanoseconds() &- timer.begin
    let first = try #require(timer.nanoseconds[0])
    let second = try #require(timer.nanoseconds[1])
    #expect(first >= 7_000_000)
    #expect(second >= 2_000_000)
    #expect(total >= first + second)
  }

  @Test func `a new frame begins at nothing`() {
    var timer = StageTimer(stages: ["a"])
    timer.beginFrame()
    timer.measure(0) { wait(milliseconds: 1) }
    timer.beginFrame()
    #expect(timer.nanoseconds == [nil])
    #expect(timer.stages == ["a"])
  }

  @Test func `a stage that did not run has no time and the total is recorded as a stage`() throws {
    var timer = StageTimer(stages: ["a", "b", "total"])
    timer.beginFrame()
    timer.measure(1) { wait(milliseconds: 2) }
    timer.recordTotal(as: 2)
    #expect(timer.nanoseconds[0] == nil)
    let stage = try #require(timer.nanoseconds[1])
    let total = try #require(timer.nanoseconds[2])
    #expect(stage >= 2_000_000 && total >= stage)
  }

  @Test func `a result comes through and so does an error`() throws {
    var timer = StageTimer(stages: ["a"])
    timer.beginFrame()
    #expect(timer.measure(0) { 42 } == 42)
    #expect(throws: Failure.self) {
      try timer.measure(0) { () throws(Failure) in throw Failure() }
    }
  }
}
