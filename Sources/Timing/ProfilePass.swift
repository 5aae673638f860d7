internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Platform
internal import Profiling
internal import Records
internal import Running
internal import Synchronization

/// Times the pipeline over a clip: the first frame, the warm-up, the steady frames, and the cost of timing.
struct ProfilePass {
  let plan: ProfilePlan
  let clip: ProfiledClip
  let models: FaceLandmarkerModels
  let monitor: RunMonitor

  /// Frames whose spans a trace keeps.
  static let traceLimit = 1000

  /// The steady frames of all workers.
  struct Steady: Sendable {
    /// A worker's frames and when each was due.
    struct Lane: Sendable {
      var samples: FrameSamples
      /// Nanoseconds from the moment each frame was due to its result.
      var responses: [UInt64] = []
    }

    var lanes: [Lane]
    /// From the first frame's beginning to the last one's end.
    var nanoseconds: UInt64
  }

  /// One worker with its landmarker.
  func makeWorker() throws -> LockedWorker {
    let member = LockedWorker(try FrameWorker(plan.pipeline, models: models))
    try member.use { $0.detail = .spans }
    return member
  }

  /// Runs the first `count` frames of the clip, repeating it if it is shorter; each pass restarts tracking.
  func run(_ count: Int, on member: LockedWorker) throws -> FrameSamples {
    let steps = clip.steps
    return try member.use { worker in
      var samples = FrameSamples(capacity: count, traceLimit: count)
      for index in 0..<count {
        if index.isMultiple(of: 16) { try monitor.check("in the warm-up") }
        let step = steps[index % steps.count]
        try detect(step, on: worker)
        samples.add(worker.timer, result: worker.result, frame: index, cluster: step.entry.cluster)
      }
      return samples
    }
  }

  /// Times the steady frames as the plan's schedule has them.
  func steady(on member: LockedWorker) throws -> Steady {
    plan.schedule == .offline ? try offline(first: member) : try member.use(oneByOne)
  }

  private var timeLimit: UInt64 {
    plan.timeLimitSeconds.map { UInt64(min($0, 1e9) * 1e9) } ?? .max
  }

  @Sendable private func oneByOne(on worker: FrameWorker) throws -> Steady {
    let steps = clip.steps
    let count = steps.count * plan.repeats
    var samples = FrameSamples(capacity: count, traceLimit: Self.traceLimit)
    monitor.begin(.timing, count)
    let loop = FrameLoop(
      plan.schedule == .paced ? .paced(framesPerSecond: plan.framesPerSecond) : .closed,
      timeLimitNanoseconds: timeLimit)
    let timings = try loop.run(count) { index in
      if plan.schedule == .paced || index.isMultiple(of: 16) {
        try monitor.check(after: index, of: count)
      }
      let step = steps[index % steps.count]
      try detect(step, on: worker)
      samples.add(worker.timer, result: worker.result, frame: index, cluster: step.entry.cluster)
      monitor.advance(by: 1)
      return worker.timer.end
    }
    samples.setDue(timings.map(\.due))
    let nanoseconds = (timings.last?.end ?? 0) &- (timings.first?.begin ?? 0)
    return Steady(
      lanes: [.init(samples: samples, responses: timings.map(\.response))],
      nanoseconds: nanoseconds)
  }

  /// Every worker takes the next run of frames that nobody has; a run is a video, or a still.
  private func offline(first: LockedWorker) throws -> Steady {
    let count = clip.runs.count * plan.repeats
    monitor.begin(.timing, clip.steps.count * plan.repeats)
    let workers =
      try [first]
      + (1..<plan.workers).map { _ in
        let member = try makeWorker()
        _ = try run(max(plan.warmUpFrames, 1), on: member)
        return member
      }
    let next = NextRun()
    let capacity = clip.steps.count * plan.repeats
    let start = MonotonicClock.nanoseconds()
    let lanes = try workers.concurrentMap { (member) throws -> FrameSamples in
      do {
        return try member.use { worker in
          var samples = FrameSamples(capacity: capacity, traceLimit: Self.traceLimit / plan.workers)
          while true {
            let item = next.index.add(1, ordering: .relaxed).oldValue
            guard item < count else { return samples }
            for (offset, entry) in clip.runs[item % clip.runs.count].enumerated() {
              let isLate = MonotonicClock.nanoseconds() &- start > timeLimit
              if isLate, samples.count > 0 { return samples }
              try monitor.check("while timing")
              try detect((entry, offset == 0), on: worker)
              samples.add(
                worker.timer, result: worker.result, frame: entry.frame.index,
                cluster: entry.cluster)
              monitor.advance(by: 1)
            }
          }
        }
      } catch {
        // What one cannot do ends the others' work too.
        next.index.store(count, ordering: .relaxed)
        throw error
      }
    }
    let end = MonotonicClock.nanoseconds()
    return Steady(lanes: lanes.map { Steady.Lane(samples: $0) }, nanoseconds: end &- start)
  }

  /// ln(frame with stages and spans / same frame without), the same state before both.
  func overhead(on member: LockedWorker) throws -> [Double] {
    monitor.begin(.timingTimer, plan.overheadPairs)
    let steps = clip.steps
    return try member.use { worker in
      defer { worker.detail = .spans }
      var before = TrackingState()
      func time(_ step: (entry: ProfiledClip.Entry, begins: Bool), _ detail: StageTimer.Detail)
        throws -> UInt64
      {
        worker.detail = detail
        worker.trackingState = before
        try detect((step.entry, false), on: worker)
        return worker.timer.nanoseconds[PipelineStage.total.rawValue] ?? 0
      }
      var ratios: [Double] = []
      for pair in 0..<plan.overheadPairs {
        let step = steps[pair % steps.count]
        if step.begins { before = TrackingState() }
        if pair.isMultiple(of: 16) { try monitor.check("while timing the timing") }
        ratios += try AlternatingPairs.logRatios(2) { _ in
          try time(step, .total)
        } second: { _ in
          try time(step, .spans)
        }
        before = worker.trackingState
        monitor.advance(by: 1)
      }
      return ratios
    }
  }

  private func detect(
    _ step: (entry: ProfiledClip.Entry, begins: Bool), on worker: FrameWorker
  ) throws {
    if step.begins { worker.trackingState = TrackingState() }
    let entry = step.entry
    do {
      try worker.detect(entry.image, frame: entry.frame, isTracked: entry.isTracked)
    } catch let error as ImageError {
      throw EvaluationError.wrongData(
        "cannot profile \(plan.pipeline.dataset.relativePath): frame \(entry.frame.index) "
          + "'\(entry.frame.name)': \(error)")
    }
  }
}

/// The run of frames that the next free worker takes, in a class because Swift 6.0 cannot capture the atomic alone.
private final class NextRun: Sendable {
  let index = Atomic(0)
}
