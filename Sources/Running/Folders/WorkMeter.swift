internal import Datasets
internal import Platform

/// What this process had needed up to a moment; differences are what something needed.
package struct WorkMeter: Sendable {
  private let time = ContinuousClock.now
  private let processorSeconds: Double
  /// Bytes that calls of the system had read; 0 where the system does not count them.
  private let bytesRead: Int

  /// Reads the counters now.
  package init() {
    processorSeconds = ProcessFacts.processorSeconds
    bytesRead = ProcessFacts.bytesRead
  }

  /// What the process needed from this moment to a later one.
  func work(until later: WorkMeter) -> PredictionsPart.Work {
    PredictionsPart.Work(
      seconds: time.duration(to: later.time) / .seconds(1),
      processorSeconds: later.processorSeconds - processorSeconds,
      bytesRead: later.bytesRead - bytesRead)
  }
}
