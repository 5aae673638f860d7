internal import FaceCore
internal import Foundation
package import Imaging
internal import Profiling

/// The Face Landmarker on frames as they come: offers return at once, and a listener gets each result.
///
/// One frame is in flight on a thread of its own. Of the frames that come meanwhile only the newest
/// waits; the others are dropped and counted, and the result of the frame that replaced them names
/// them. Results follow each other in the order of time.
package final class LiveFaceLandmarker: Sendable {
  fileprivate struct Shot: Sendable {
    let image: PixelBuffer
    let view: NormalizedRect
  }

  private let queue: LiveFrameQueue<Shot>

  /// Starts the thread; throws an option that is out of its range, another running mode than live, and for a landmark
  /// model of the user's, which runs on single images alone.
  ///
  /// All three are called on the landmarker's thread.
  ///
  /// - Parameters:
  ///   - willAnalyse: is called with each frame's time before the analysis, which waits until it returns.
  ///   - resultListener: is called with each result.
  ///   - ended: is called once, when all frames have results after `finish()`, or after the landmarker is gone.
  package init(
    _ models: FaceLandmarkerModels, options: FaceLandmarkerOptions,
    willAnalyse: @escaping @Sendable (_ timestampMicroseconds: Int64) -> Void = { _ in },
    resultListener: @escaping @Sendable (LiveResult) -> Void,
    ended: @escaping @Sendable () -> Void
  ) throws(FaceLandmarkerError) {
    try FaceLandmarker.check(options, of: models)
    guard options.runningMode == .live else {
      throw .wrongMode("start live mode", needs: .live, found: options.runningMode)
    }
    let queue = LiveFrameQueue<Shot>()
    self.queue = queue
    let thread = Thread {
      let landmarker = FaceLandmarker(models, validOptions: options)
      var timer = StageTimer(stages: PipelineStage.names)
      while let frame = queue.next() {
        willAnalyse(frame.timestampMicroseconds)
        resultListener(landmarker.result(of: frame, timer: &timer))
      }
      ended()
    }
    thread.name = "live face landmarker"
    thread.start()
  }

  deinit { queue.close() }

  /// How many frames were dropped so far.
  package var droppedCount: Int { queue.droppedCount }

  /// Hands over a frame and returns at once.
  ///
  /// Throws where the time is not greater than that of the frame offered before, after `finish()`, and for a
  /// rotation that is no multiple of 90 degrees.
  package func offer(
    _ image: PixelBuffer, timestampMicroseconds: Int64, rotationDegrees: Int = 0
  ) throws(FaceLandmarkerError) {
    let view = try NormalizedRect(
      detectorViewOf: image.originalSize, rotationDegrees: rotationDegrees)
    let frame = LiveFrameQueue.Frame(
      Shot(image: image, view: view), timestampMicroseconds: timestampMicroseconds)
    switch queue.offer(frame) {
    case .taken: return
    case .late(let last): throw .timestamp(timestampMicroseconds, after: last)
    case .closed:
      throw FaceLandmarkerError(
        .finished, "take the frame at \(timestampMicroseconds) µs", expected: "a live landmarker",
        found: "a finished one")
    }
  }

  /// Lets no more frames in; the frames in flight and waiting are still analysed.
  package func finish() {
    queue.close()
  }
}

extension FaceLandmarker {
  fileprivate func result(
    of frame: LiveFrameQueue<LiveFaceLandmarker.Shot>.Frame, timer: inout StageTimer
  ) -> LiveResult {
    timer.beginFrame()
    let outcome = Result { () throws(ImageError) in
      var result = FaceLandmarkerResult()
      try analyse(
        frame.content.image, at: frame.timestampMicroseconds, view: frame.content.view,
        into: &result,
        timer: &timer)
      return result
    }
    timer.recordTotal(as: PipelineStage.total.rawValue)
    return LiveResult(
      timestampMicroseconds: frame.timestampMicroseconds, outcome: outcome,
      stageNanoseconds: timer.nanoseconds, droppedTimestamps: frame.dropped)
  }
}
