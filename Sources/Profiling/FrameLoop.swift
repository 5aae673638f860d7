/// Runs frames one after another, as fast as they go or at a frame rate.
package struct FrameLoop: Sendable {
  /// When frames begin.
  package enum Schedule: Sendable, Hashable {
    /// Each when the one before it is done.
    case closed
    /// Frame i is due i / rate after the first; one that is late begins as soon as it can.
    case paced(framesPerSecond: Double)
  }

  /// When a frame was due, began and was done, in nanoseconds of the loop's clock.
  package struct Timing: Sendable, Hashable {
    /// When it should have begun; when it began in a closed loop.
    package var due: UInt64
    /// When it began.
    package var begin: UInt64
    /// When its result was there.
    package var end: UInt64

    /// Nanoseconds from the moment the frame was due, including the wait for earlier slow frames.
    package var response: UInt64 { end &- due }
  }

  /// When frames begin.
  package var schedule: Schedule
  /// No frame but the first begins later than so many nanoseconds after the first was due.
  package var timeLimitNanoseconds: UInt64
  private let clock: any FrameClock

  /// A loop; without a time limit it runs all frames.
  package init(
    _ schedule: Schedule, timeLimitNanoseconds: UInt64 = .max,
    clock: any FrameClock = SystemClock()
  ) {
    self.schedule = schedule
    self.timeLimitNanoseconds = timeLimitNanoseconds
    self.clock = clock
  }

  /// Runs frames 0 ..< count, fewer where the time is over; `frame` returns when its result was there.
  @discardableResult
  package func run<Failure: Error>(
    _ count: Int, _ frame: (Int) throws(Failure) -> UInt64
  ) throws(Failure) -> [Timing] {
    var timings: [Timing] = []
    timings.reserveCapacity(min(count, 1 << 20))
    let start = clock.nanoseconds()
    for index in 0..<count {
      var due = start
      if case .paced(let rate) = schedule {
        due = start &+ UInt64((Double(index) * 1e9 / rate).rounded())
        clock.sleep(until: due)
      }
      let begin = clock.nanoseconds()
      if index > 0, begin &- start > timeLimitNanoseconds { break }
      if case .closed = schedule { due = begin }
      let end = try frame(index)
      timings.append(Timing(due: due, begin: begin, end: end))
    }
    return timings
  }
}
