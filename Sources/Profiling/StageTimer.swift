internal import Platform

/// Times the stages of one frame after another; a stage may run several times a frame.
package struct StageTimer: Sendable {
  /// How much of a frame is measured.
  package enum Detail: Sendable, Hashable {
    /// The whole frame alone.
    case total
    /// The sum of each stage.
    case stages
    /// Each stage's spans and allocations in addition.
    case spans
  }

  /// One run of a stage.
  package struct Span: Sendable, Hashable {
    /// The stage's position among the stages.
    package var stage: Int
    /// When it began, in nanoseconds of `MonotonicClock`.
    package var begin: UInt64
    /// When it ended.
    package var end: UInt64
  }

  /// Stage names, in the order of the pipeline.
  package let stages: [String]
  /// Nanoseconds spent in each stage of the present frame; nil where a stage did not run.
  package private(set) var nanoseconds: [UInt64?]
  /// What is measured from the next frame on.
  package var detail = Detail.stages
  /// The spans of the present frame, in the order of their ends; none without that detail.
  package private(set) var spans: [Span] = []
  /// Allocations in each stage of the present frame; 0 without that detail.
  package private(set) var allocations: [UInt64]
  /// Allocations of the present frame up to its total, by the thread that began it.
  package private(set) var frameAllocations = AllocationCount.zero
  /// When the present frame began, in nanoseconds of `MonotonicClock`.
  package private(set) var begin: UInt64 = 0
  /// When the total of the present frame was recorded.
  package private(set) var end: UInt64 = 0
  private var allocationsAtBegin = AllocationCount.zero

  /// Makes a timer for the named stages.
  package init(stages: [String]) {
    self.stages = stages
    nanoseconds = Array(repeating: nil, count: stages.count)
    allocations = Array(repeating: 0, count: stages.count)
  }

  /// Begins a frame: no stage has run, and the total is running.
  package mutating func beginFrame() {
    for index in nanoseconds.indices { nanoseconds[index] = nil }
    if detail == .spans {
      for index in allocations.indices { allocations[index] = 0 }
      spans.removeAll(keepingCapacity: true)
      spans.reserveCapacity(64)
      allocationsAtBegin = .ofThread
    }
    begin = MonotonicClock.nanoseconds()
  }

  /// Runs `work` and adds its duration to the stage of that index.
  package mutating func measure<Result, Failure: Error>(
    _ stage: Int, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard detail != .total else { return try work() }
    let before = detail == .spans ? AllocationCount.ofThread.calls : 0
    let begin = MonotonicClock.nanoseconds()
    let result = try work()
    #if PLANTED_SLOWDOWN
      PlantedSlowdown.extend(stages[stage], since: begin)
    #endif
    let end = MonotonicClock.nanoseconds()
    nanoseconds[stage] = (nanoseconds[stage] ?? 0) &+ (end &- begin)
    if detail == .spans {
      allocations[stage] &+= AllocationCount.ofThread.calls &- before
      spans.append(Span(stage: stage, begin: begin, end: end))
    }
    return result
  }

  /// Sets the stage of that index to the time since the frame began.
  package mutating func recordTotal(as stage: Int) {
    end = MonotonicClock.nanoseconds()
    if detail == .spans { frameAllocations = .ofThread - allocationsAtBegin }
    nanoseconds[stage] = end &- begin
  }
}
