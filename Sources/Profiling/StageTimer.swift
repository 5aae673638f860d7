/// Times the stages of one frame after another; a stage may run several times a frame.
package struct StageTimer: Sendable {
  /// Stage names, in the order of the pipeline.
  package let stages: [String]
  /// Nanoseconds spent in each stage of the present frame; nil where a stage did not run.
  package private(set) var nanoseconds: [UInt64?]
  private var start: UInt64 = 0

  /// Makes a timer for the named stages.
  package init(stages: [String]) {
    self.stages = stages
    nanoseconds = Array(repeating: nil, count: stages.count)
  }

  /// Begins a frame: no stage has run, and the total is running.
  package mutating func beginFrame() {
    for index in nanoseconds.indices { nanoseconds[index] = nil }
    start = MonotonicClock.nanoseconds()
  }

  /// Runs `work` and adds its duration to the stage of that index.
  package mutating func measure<Result, Failure: Error>(
    _ stage: Int, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let begin = MonotonicClock.nanoseconds()
    let result = try work()
    nanoseconds[stage] = (nanoseconds[stage] ?? 0) &+ (MonotonicClock.nanoseconds() &- begin)
    return result
  }

  /// Sets the stage of that index to the time since the frame began.
  package mutating func recordTotal(as stage: Int) {
    nanoseconds[stage] = elapsed()
  }

  /// Nanoseconds since the frame began.
  package func elapsed() -> UInt64 {
    MonotonicClock.nanoseconds() &- start
  }
}
