internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Profiling

/// The times and costs of frames, one row per frame, in memory that was reserved before the clock
/// started.
struct FrameSamples: Sendable {
  /// A frame's spans, for traces.
  struct Trace: Sendable {
    var frame: Int
    var begin: UInt64
    var end: UInt64
    var spans: [StageTimer.Span]
    var detectorRan: Bool
    var faces: Int
    /// When the frame was due; equal to `begin` in a closed loop.
    var due: UInt64
  }

  /// Nanoseconds by frame and stage; nil where a stage did not run.
  private(set) var stages: [[UInt64?]] = []
  private(set) var detectorRan: [Bool] = []
  /// The cluster of each frame: what its video, subject or still is in `ProfiledClip`.
  private(set) var clusters: [Int] = []
  /// Allocations by frame.
  private(set) var allocations: [AllocationCount] = []
  /// Allocations by frame and stage.
  private(set) var stageAllocations: [[UInt64]] = []
  private(set) var traces: [Trace] = []
  private let traceLimit: Int

  /// Reserves space for this many frames, or a million; the first `traceLimit` keep their spans.
  init(capacity: Int, traceLimit: Int) {
    self.traceLimit = traceLimit
    let capacity = min(capacity, 1 << 20)
    stages.reserveCapacity(capacity)
    detectorRan.reserveCapacity(capacity)
    clusters.reserveCapacity(capacity)
    allocations.reserveCapacity(capacity)
    stageAllocations.reserveCapacity(capacity)
    traces.reserveCapacity(min(capacity, traceLimit))
  }

  var count: Int { stages.count }
  private static let total = PipelineStage.total.rawValue

  /// Nanoseconds of a frame.
  func total(_ frame: Int) -> Int64 { Int64(clamping: stages[frame][Self.total] ?? 0) }

  /// Nanoseconds of a frame without decoding its file.
  func withoutDecoding(_ frame: Int) -> Int64 {
    let decode = stages[frame][PipelineStage.decode.rawValue]
    return StageLatency.pipelineNanoseconds(total: stages[frame][Self.total], decode: decode)
      .map { Int64(clamping: $0) } ?? total(frame)
  }

  /// Takes in the frame that a timer has just timed.
  mutating func add(_ timer: StageTimer, result: FaceLandmarkerResult, frame: Int, cluster: Int) {
    clusters.append(cluster)
    stages.append(timer.nanoseconds)
    detectorRan.append(result.detectorRan)
    allocations.append(timer.frameAllocations)
    stageAllocations.append(timer.allocations)
    if traces.count < traceLimit {
      traces.append(
        Trace(
          frame: frame, begin: timer.begin, end: timer.end, spans: timer.spans,
          detectorRan: result.detectorRan, faces: result.faces.count, due: timer.begin))
    }
  }

  /// States when frames were due, in the order of the frames.
  mutating func setDue(_ due: [UInt64]) {
    for index in traces.indices where index < due.count { traces[index].due = due[index] }
  }
}
