internal import Glibc

/// The machine's monotonic clock, read with little cost.
package enum MonotonicClock {
  /// Nanoseconds since an arbitrary moment; never runs backwards.
  package static func nanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) &* 1_000_000_000 &+ UInt64(time.tv_nsec)
  }
}
