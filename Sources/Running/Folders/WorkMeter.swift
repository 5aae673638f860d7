internal import Datasets
internal import Foundation
internal import Glibc

/// What this process had needed up to a moment; differences are what something needed.
package struct WorkMeter: Sendable {
  private let time = ContinuousClock.now
  private let processorSeconds: Double
  /// Bytes that calls of the system had read; 0 where the system does not count them.
  private let bytesRead: Int

  /// Reads the counters now.
  package init() {
    processorSeconds = Self.processorSeconds
    let line = HostFacts.text("/proc/self/io")?.split(whereSeparator: \.isNewline).first
    bytesRead = line.flatMap { $0.split(separator: " ").last }.flatMap { Int($0) } ?? 0
  }

  /// Seconds of processor time that this process took, user and system.
  static var processorSeconds: Double {
    var usage = rusage()
    getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
    return [usage.ru_utime, usage.ru_stime].reduce(0) {
      $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6
    }
  }

  /// What the process needed from this moment to a later one.
  func work(until later: WorkMeter) -> PredictionsPart.Work {
    PredictionsPart.Work(
      seconds: time.duration(to: later.time) / .seconds(1),
      processorSeconds: later.processorSeconds - processorSeconds,
      bytesRead: later.bytesRead - bytesRead)
  }
}
