import Foundation
import Metrics
import Platform
import Profiling
import Records
import Synchronization
import Testing

/// A clock that stands still unless somebody sleeps or works.
final class SimulatedClock: FrameClock {
  private let now = Mutex<UInt64>(7_000_000_000)

  func nanoseconds() -> UInt64 { now.withLock { $0 } }
  func sleep(until nanoseconds: UInt64) { now.withLock { $0 = max($0, nanoseconds) } }

  /// Lets time go by; returns what time it is then.
  func work(milliseconds: Double) -> UInt64 {
    now.withLock { now in
      now += UInt64((milliseconds * 1e6).rounded())
      return now
    }
  }
}

extension FrameLoop.Timing {
  fileprivate var responseMilliseconds: Double { Double(response) / 1e6 }
}

/// Schedules by a clock that is simulated, with frames of known cost; and once by the machine's clock.
@Suite struct FrameLoopTests {
  private struct Failure: Error {}

  private let clock = SimulatedClock()

  private func loop(_ schedule: FrameLoop.Schedule, limit: UInt64 = .max) -> FrameLoop {
    FrameLoop(schedule, timeLimitNanoseconds: limit, clock: clock)
  }

  @Test func `a closed loop runs every frame in order and each begins after the one before`() {
    var order: [Int] = []
    let timings = loop(.closed).run(5) { index in
      order.append(index)
      return clock.work(milliseconds: 1)
    }
    #expect(order == [0, 1, 2, 3, 4])
    #expect(timings.allSatisfy { $0.due == $0.begin && $0.response == 1_000_000 })
    #expect(zip(timings, timings.dropFirst()).allSatisfy { $0.end == $1.begin })
  }

  @Test func `a paced loop keeps to the rate while frames are quick`() throws {
    let timings = loop(.paced(framesPerSecond: 200)).run(20) { _ in
      clock.work(milliseconds: 0.2)
    }
    let first = try #require(timings.first)
    for (index, timing) in timings.enumerated() {
      #expect(timing.due - first.due == UInt64(index) * 5_000_000)
      #expect(timing.begin == timing.due)
      #expect(timing.response == 200_000)
    }
  }

  /// At 100 frames a second a stall of 200 ms leaves 20 frames behind; at 2 ms each they catch up 8 ms a frame.
  @Test func `a planted stall of 200 ms shows up in the frames that waited for it`() {
    let stalled = 5
    let timings = loop(.paced(framesPerSecond: 100)).run(50) { index in
      clock.work(milliseconds: index == stalled ? 200 : 2)
    }
    for (index, timing) in timings.enumerated() {
      let after = Double(index - stalled)
      #expect(timing.responseMilliseconds == (after < 0 ? 2 : max(200 - 8 * after, 2)))
    }
    // The times of the frames do not show it: all but the stalled one are quick.
    let slow = timings.indices.filter { timings[$0].end - timings[$0].begin >= 100_000_000 }
    #expect(slow == [stalled])
  }

  @Test func `a closed loop hides the same stall from the frames after it`() {
    let timings = loop(.closed).run(20) { index in
      clock.work(milliseconds: index == 5 ? 200 : 2)
    }
    #expect(timings.map(\.responseMilliseconds) == (0..<20).map { $0 == 5 ? 200 : 2 })
  }

  @Test func `a paced loop at a rate that is too high responds later and later`() {
    let timings = loop(.paced(framesPerSecond: 1000)).run(20) { _ in clock.work(milliseconds: 3) }
    let expected: [Double] = (0..<20).map { 3 + 2 * Double($0) }
    #expect(timings.map(\.responseMilliseconds) == expected)
    let budget = FrameBudget(nanoseconds: 1e6, frames: timings.map { Int64($0.response) })
    let metrics = budget.summarize()
    #expect(metrics.first { $0.name == "budget.miss_rate" }?.value == 1)
    #expect(metrics.first { $0.name == "budget.longest_miss_run" }?.value == 20)
    #expect(budget.stutter == nil)
  }

  @Test(arguments: [(UInt64(20_000_000), 5), (19_999_999, 4), (0, 1)])
  func `no frame but the first begins after the time limit`(limit: UInt64, count: Int) {
    let timings = loop(.closed, limit: limit).run(1000) { _ in clock.work(milliseconds: 5) }
    #expect(timings.count == count)
  }

  @Test func `an error ends the loop and nothing runs nothing`() {
    var frames = 0
    #expect(throws: Failure.self) {
      try loop(.closed).run(5) { index throws(Failure) in
        frames += 1
        if index == 2 { throw Failure() }
        return 0
      }
    }
    #expect(frames == 3)
    #expect(loop(.closed).run(0) { _ in 0 }.isEmpty)
  }

  @Test func `by the machine's clock frames keep their order and none begins before it is due`() {
    let timings = FrameLoop(.paced(framesPerSecond: 500)).run(10) { _ in
      MonotonicClock.nanoseconds()
    }
    #expect(zip(timings, timings.dropFirst()).allSatisfy { $1.due - $0.due == 2_000_000 })
    #expect(timings.allSatisfy { $0.due <= $0.begin && $0.begin <= $0.end })
    #expect(zip(timings, timings.dropFirst()).allSatisfy { $0.end <= $1.begin })
  }
}
