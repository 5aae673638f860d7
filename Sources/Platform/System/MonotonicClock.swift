#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// The machine's monotonic clock, read with little cost.
package enum MonotonicClock {
  /// Nanoseconds since an arbitrary moment; never runs backwards.
  package static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }

  /// Waits until a moment; returns at once if it is past.
  package static func sleep(until nanoseconds: UInt64) {
    #if canImport(Darwin)
      while true {
        let now = Self.nanoseconds()
        guard nanoseconds > now else { return }
        var rest = timespec(
          tv_sec: Int((nanoseconds - now) / 1_000_000_000),
          tv_nsec: Int((nanoseconds - now) % 1_000_000_000))
        nanosleep(&rest, nil)
      }
    #else
      var moment = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &moment, nil) == EINTR {}
    #endif
  }
}
