import Foundation
import Profiling
import Testing

@Suite(.serialized) struct FrameLoopTests {
  private struct Failure: Error {}

  private func work(milliseconds: Double) -> UInt64 {
    MonotonicClock.sleep(until: MonotonicClock.nanoseconds() + UInt64(milliseconds * 1e6))
    return MonotonicClock.nanoseconds()
  }

  @Test func `a closed loop runs every frame in order and each begins behind the one before`() {
    var order: [Int] = []
    let timings = FrameLoop(.closed).run(5) { index in
      order.append(index)
      return work(milliseconds: 1)
    }
    #expect(order == [0, 1, 2, 3, 4])
    #expect(timings.allSatisfy { $0.due == $0.begin && $0.response >= 1_000_000 })
    #expect(zip(timings, timings.dropFirst()).allSatisfy { $0.end <= $1.begin })
  }

  @Test func `a paced loop keeps to the rate while frames are quick`() throws {
    let timings = FrameLoop(.paced(framesPerSecond: 200)).run(20) { _ in
      work(milliseconds: 0.2)
    }
    let first = try #require(timings.first)
    for (index, timing) in timings.enumerated() {
      #expect(timing.due - first.due == UInt64(index) * 5_000_000)
      #expect(timing.begin >= timing.due)
    }
  }

  /// At 100 frames a second a stall of 200 ms leaves 20 frames behind; at 2 ms each they catch up 8 ms a frame, so
  /// that frame k behind the stalled one responds after 200 − 8 k ms, however noisy the machine at least that.
  @Test func `a planted stall of 200 ms shows up in the frames that waited behind it`() {
    let stalled = 5
    let timings = FrameLoop(.paced(framesPerSecond: 100)).run(50) { index in
      work(milliseconds: index == stalled ? 200 : 2)
    }
    func response(_ frame: Int) -> Double { Double(timings[frame].response) / 1e6 }
    #expect(response(stalled) >= 200)
    for behind in 1...24 {
      #expect(response(stalled + behind) >= 200 - 8 * Double(behind))
    }
    // What each frame took says nothing of it: all but the stalled one are quick.
    let slow = timings.indices.filter { timings[$0].end - timings[$0].begin >= 100_000_000 }
    #expect(slow == [stalled])
    let late = timings.count { Double($0.response) / 1e6 > 50 }
    #expect(late >= 18)
  }

  @Test func `a closed loop hides the same stall from the frames behind it`() {
    let timings = FrameLoop(.closed).run(20) { index in
      work(milliseconds: index == 5 ? 200 : 2)
    }
    #expect(timings.count { $0.response >= 100_000_000 } == 1)
  }

  @Test func `no frame begins after the time limit`() {
    let loop = FrameLoop(.closed, timeLimitNanoseconds: 20_000_000)
    let timings = loop.run(1000) { _ in work(milliseconds: 5) }
    #expect((1...5).contains(timings.count))
  }

  @Test func `an error ends the loop and nothing runs nothing`() {
    var frames = 0
    #expect(throws: Failure.self) {
      try FrameLoop(.closed).run(5) { index throws(Failure) in
        frames += 1
        if index == 2 { throw Failure() }
        return 0
      }
    }
    #expect(frames == 3)
    #expect(FrameLoop(.closed).run(0) { _ in 0 }.isEmpty)
  }
}
