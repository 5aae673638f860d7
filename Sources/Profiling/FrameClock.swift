internal import Platform

/// The time that a schedule keeps: it can be read and waited for.
package protocol FrameClock: Sendable {
  /// Nanoseconds since an arbitrary moment; never runs backwards.
  func nanoseconds() -> UInt64
  /// Returns at a moment; at once if it is past.
  func sleep(until nanoseconds: UInt64)
}

/// The machine's monotonic clock as a schedule's time.
package struct SystemClock: FrameClock {
  /// The one clock of the machine.
  package init() {}

  /// Nanoseconds of `MonotonicClock`.
  package func nanoseconds() -> UInt64 { MonotonicClock.nanoseconds() }

  /// Lets the thread sleep until a moment of `MonotonicClock`.
  package func sleep(until nanoseconds: UInt64) { MonotonicClock.sleep(until: nanoseconds) }
}
