internal import Datasets
internal import Dispatch
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Platform
internal import Profiling
internal import Synchronization

/// One video on its way through live mode: frames go in at their times, predictions come out in order.
///
/// A thread of its own decodes a few frames ahead of the clock. It skips a frame if the one after it is already due,
/// so that no offer is late by more than the time between two frames and two decodings.
final class LiveClip {
  /// A frame that was taken in and has no prediction yet.
  private struct OpenFrame {
    let index: Int
    let timestampMicroseconds: Int64
    /// What it becomes if no result comes for it.
    let otherwise: FramePrediction.Status
    /// Nanoseconds of its decoding.
    var decoding: UInt64?
  }

  /// A frame with what the decoding thread made of it.
  private struct Arrival: Sendable {
    enum Image: Sendable {
      case decoded(PixelBuffer, nanoseconds: UInt64)
      case passedOver
      case failed(any Error)
    }

    let frame: Frame
    let image: Image
  }

  /// What came back and was not taken out yet.
  private final class Inbox: Sendable {
    let results = Mutex<[LiveResult]>([])
    let ended = DispatchSemaphore(value: 0)
  }

  /// When frames are due; the clock starts when the first frame is decoded.
  private final class Schedule: Sendable {
    private let timing: any LiveTiming
    private let firstTimestamp: Int64
    private let start = Mutex<UInt64?>(nil)

    init(_ timing: any LiveTiming, from timestamp: Int64) {
      self.timing = timing
      firstTimestamp = timestamp
    }

    func begin() {
      start.withLock { $0 = $0 ?? timing.nanoseconds() }
    }

    /// When a frame is due; nil before the clock has started.
    func due(_ timestamp: Int64) -> UInt64? {
      start.withLock { $0 }.map { $0 + UInt64(timestamp - firstTimestamp) * 1000 }
    }

    func isPast(_ timestamp: Int64) -> Bool {
      due(timestamp).map { $0 < timing.nanoseconds() } ?? false
    }
  }

  private let plan: RunPlan
  private let dataset: DatasetReader
  private let monitor: RunMonitor
  private let landmarker: LiveFaceLandmarker
  private let inbox = Inbox()
  private var open: [OpenFrame] = []

  /// Starts the landmarker's thread.
  init(
    _ plan: RunPlan, of dataset: DatasetReader, models: FaceLandmarkerModels,
    monitor: RunMonitor
  ) throws(FaceLandmarkerError) {
    self.plan = plan
    self.dataset = dataset
    self.monitor = monitor
    landmarker = try LiveFaceLandmarker(models, options: plan.settings) {
      [timing = plan.liveTiming] in
      timing.willAnalyse(timestampMicroseconds: $0)
    } resultListener: { [timing = plan.liveTiming, inbox] result in
      inbox.results.withLock { $0.append(result) }
      timing.didSettle(1 + result.droppedTimestamps.count)
    } ended: { [inbox] in
      inbox.ended.signal()
    }
  }

  /// Takes the frames of the cursor's present sequence at their times, and waits for the last result.
  func run(
    _ frames: FrameCursor, hear: (LiveEvent) -> Void, keep: (FramePrediction) throws -> Void,
    broken: (_ frame: Int, ImageError) throws -> Void
  ) throws {
    guard let first = try frames.peek() else { return }
    let schedule = Schedule(plan.liveTiming, from: first.timestampMicroseconds)
    var failure: (any Error)?
    let arrivals = Prefetch.arrivals(
      of: first.sequence, frames, dataset, minSide: plan.minDecodedSide, schedule
    ) { failure = $0 }
    var last = first
    while let arrival = arrivals.next() {
      let frame = arrival.frame
      last = frame
      try monitor.check(after: frame.index, of: dataset.frameCount)
      schedule.begin()
      switch arrival.image {
      case .failed(let error as ImageError):
        note(frame, otherwise: .broken)
        try broken(frame.index, error)
      case .failed(let error): throw error
      case .passedOver:
        note(frame, otherwise: .dropped)
        hear(.passedOver)
      case .decoded(let pixels, let nanoseconds):
        hear(.offered(nanosecondsLate: try wait(for: frame, schedule)))
        note(frame, otherwise: .dropped, decoding: nanoseconds)
        plan.liveTiming.willOffer()
        try landmarker.offer(
          pixels, timestampMicroseconds: frame.timestampMicroseconds,
          rotationDegrees: plan.rotationDegrees)
      }
      try drain(keep, broken)
    }
    if let failure { throw failure }
    landmarker.finish()
    inbox.ended.wait()
    if let due = schedule.due(last.timestampMicroseconds) {
      let now = plan.liveTiming.nanoseconds()
      hear(.ended(nanosecondsLate: now > due ? now - due : 0))
    }
    try drain(keep, broken)
    try giveUp(open[...], keep)
  }

  private enum Prefetch {
    /// Frames that are decoded before their time: enough for a decoding that takes four times as long as others.
    static let depth = 4

    static func arrivals(
      of sequence: Int, _ frames: FrameCursor, _ dataset: DatasetReader, minSide: Int?,
      _ schedule: Schedule, failed: @escaping (any Error) -> Void
    ) -> Prefetcher<Arrival> {
      Prefetcher(depth: depth) { () -> Prefetcher<Arrival>.Job? in
        do {
          guard let frame = try frames.take(of: sequence) else { return nil }
          let next = try frames.peek().flatMap { $0.sequence == sequence ? $0 : nil }
          return {
            let isTooLate = next.map { schedule.isPast($0.timestampMicroseconds) } ?? false
            return Arrival(
              frame: frame,
              image: isTooLate ? .passedOver : decode(frame, of: dataset, minSide: minSide))
          }
        } catch {
          failed(error)
          return nil
        }
      }
    }

    private static func decode(
      _ frame: Frame, of dataset: DatasetReader, minSide: Int?
    ) -> Arrival.Image {
      do {
        let stored = try dataset.image(frame.index)
        let begin = SystemClock().nanoseconds()
        let pixels = try stored.decoded(minSide: minSide)
        return .decoded(pixels, nanoseconds: SystemClock().nanoseconds() &- begin)
      } catch {
        return .failed(error)
      }
    }
  }

  /// Waits until a frame is due; returns how many nanoseconds it is late.
  private func wait(for frame: Frame, _ schedule: Schedule) throws(EvaluationError) -> UInt64 {
    let clock = plan.liveTiming
    guard let due = schedule.due(frame.timestampMicroseconds) else { return 0 }
    while true {
      let now = clock.nanoseconds()
      guard now < due else { return now - due }
      clock.sleep(until: min(due, now + 50_000_000))
      try monitor.check(after: frame.index, of: dataset.frameCount)
    }
  }

  /// Hands on the frames that have a result, and those before them.
  private func drain(
    _ keep: (FramePrediction) throws -> Void, _ broken: (_ frame: Int, ImageError) throws -> Void
  ) throws {
    let results = inbox.results.withLock { results in
      defer { results = [] }
      return results
    }
    for result in results {
      let later = open.firstIndex { $0.timestampMicroseconds >= result.timestampMicroseconds }
      try giveUp(open.prefix(later ?? open.count), keep)
      guard let frame = open.first else { continue }
      open.removeFirst()
      var times = result.stageNanoseconds
      times[PipelineStage.decode.rawValue] = frame.decoding
      times[PipelineStage.total.rawValue]? += frame.decoding ?? 0
      switch result.outcome {
      case .success(let faces):
        try keep(faces.prediction(frame: frame.index, stageNanoseconds: times))
      case .failure(let error):
        try broken(frame.index, error)
        try keep(FramePrediction(frame: frame.index, notAnalysed: .broken))
      }
    }
  }

  private func note(_ frame: Frame, otherwise: FramePrediction.Status, decoding: UInt64? = nil) {
    open.append(
      OpenFrame(
        index: frame.index, timestampMicroseconds: frame.timestampMicroseconds,
        otherwise: otherwise, decoding: decoding))
  }

  private func giveUp(
    _ frames: ArraySlice<OpenFrame>, _ keep: (FramePrediction) throws -> Void
  ) throws {
    for frame in frames {
      try keep(FramePrediction(frame: frame.index, notAnalysed: frame.otherwise))
    }
    open.removeFirst(frames.count)
  }
}
