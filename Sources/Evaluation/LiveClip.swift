internal import Datasets
internal import Dispatch
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Imaging
internal import Profiling
internal import Synchronization

/// One video on its way through live mode: frames go in at their times, predictions come out in order.
final class LiveClip {
  /// A frame whose fate is not known yet.
  private struct OpenFrame {
    let index: Int
    let timestampMicroseconds: Int64
    /// Nil where the picture is broken and was never offered.
    let decoding: UInt64?
  }

  /// What came back and was not looked at yet.
  private final class Inbox: Sendable {
    let results = Mutex<[LiveResult]>([])
    let ended = DispatchSemaphore(value: 0)
  }

  private let landmarker: LiveFaceLandmarker
  private let inbox = Inbox()
  private let monitor: RunMonitor
  private let rotationDegrees: Int
  private let firstTimestamp: Int64
  private let start = MonotonicClock.nanoseconds()
  private var open: [OpenFrame] = []

  /// Starts with the first frame's time as the present moment.
  init(
    _ first: Frame, plan: EvaluationPlan, nets: FaceLandmarkerNets, monitor: RunMonitor
  ) throws(FaceLandmarkerError) {
    firstTimestamp = first.timestampMicroseconds
    rotationDegrees = plan.rotationDegrees
    self.monitor = monitor
    landmarker = try LiveFaceLandmarker(nets, options: plan.settings)
    Task.detached { [results = landmarker.results, inbox] in
      for await result in results { inbox.results.withLock { $0.append(result) } }
      inbox.ended.signal()
    }
  }

  /// Decodes a frame and offers it when its time has come.
  func offer(_ frame: Frame, of dataset: DatasetReader) throws {
    let stored = try dataset.picture(frame.index)
    let begin = MonotonicClock.nanoseconds()
    let pixels: PixelBuffer
    do {
      pixels = try stored.decoded()
    } catch {
      note(frame, decoding: nil)
      throw error
    }
    let decoding = MonotonicClock.nanoseconds() &- begin
    try wait(for: frame, of: dataset)
    note(frame, decoding: decoding)
    try landmarker.offer(
      pixels, timestampMicroseconds: frame.timestampMicroseconds,
      rotationDegrees: rotationDegrees)
  }

  /// Hands on the frames whose fate is known by now.
  func drain(_ keep: (FramePrediction) throws -> Void) throws {
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
      try keep(result.outcome.get().prediction(frame: frame.index, stageNanoseconds: times))
    }
  }

  /// Waits for the frames that are on their way and hands on all that are left.
  func finish(_ keep: (FramePrediction) throws -> Void) throws {
    landmarker.finish()
    inbox.ended.wait()
    try drain(keep)
    try giveUp(open[...], keep)
  }

  private func note(_ frame: Frame, decoding: UInt64?) {
    open.append(
      OpenFrame(
        index: frame.index, timestampMicroseconds: frame.timestampMicroseconds,
        decoding: decoding))
  }

  private func giveUp(
    _ frames: ArraySlice<OpenFrame>, _ keep: (FramePrediction) throws -> Void
  ) throws {
    for frame in frames {
      try keep(
        FramePrediction(
          frame: frame.index, notAnalysed: frame.decoding == nil ? .broken : .dropped))
    }
    open.removeFirst(frames.count)
  }

  private func wait(for frame: Frame, of dataset: DatasetReader) throws(EvaluationError) {
    let due = start + UInt64(frame.timestampMicroseconds - firstTimestamp) * 1000
    while true {
      let now = MonotonicClock.nanoseconds()
      guard now < due else { return }
      Thread.sleep(forTimeInterval: Double(min(due - now, 50_000_000)) / 1e9)
      try monitor.check(after: frame.index, of: dataset.frameCount)
    }
  }
}
