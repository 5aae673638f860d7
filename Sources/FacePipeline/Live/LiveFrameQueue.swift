internal import Dispatch
internal import FaceCore
internal import Imaging
internal import Synchronization

/// The frames of live mode: one in flight, the newest that waits, and a count of the others.
///
/// Any thread offers and closes; one thread takes. Nobody holds the lock while a frame is analysed.
final class LiveFrameQueue: Sendable {
  /// A frame on its way.
  struct Frame: Sendable {
    var image: PixelBuffer
    var timestampMicroseconds: Int64
    var view: NormalizedRect
    var offeredNanoseconds: UInt64
    /// Times of the frames that this one replaced, in order.
    var dropped: [Int64] = []
  }

  /// What an offer came to.
  enum Admission {
    case taken
    case late(after: Int64)
    case closed
  }

  private struct State {
    var inFlight: Frame?
    var isBusy = false
    var waiting: Frame?
    var droppedCount = 0
    var lastTimestamp: Int64?
    var isClosed = false
  }

  private let state = Mutex(State())
  private let arrival = DispatchSemaphore(value: 0)

  var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Starts a frame, or replaces the one that waits.
  func offer(_ frame: Frame) -> Admission {
    let (admission, isFirst): (Admission, Bool) = state.withLock { state in
      guard !state.isClosed else { return (.closed, false) }
      if let last = state.lastTimestamp, frame.timestampMicroseconds <= last {
        return (.late(after: last), false)
      }
      state.lastTimestamp = frame.timestampMicroseconds
      guard state.isBusy else {
        state.isBusy = true
        state.inFlight = frame
        return (.taken, true)
      }
      var frame = frame
      if let old = state.waiting.take() {
        state.droppedCount += 1
        frame.dropped = old.dropped
        frame.dropped.append(old.timestampMicroseconds)
      }
      state.waiting = frame
      return (.taken, false)
    }
    if isFirst { arrival.signal() }
    return admission
  }

  /// Lets no more frames in; those that are there still come out.
  func close() {
    let wasIdle = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed && !state.isBusy
    }
    if wasIdle { arrival.signal() }
  }

  /// The next frame to analyse, once the one before is done with; nil when there will be none.
  func next() -> Frame? {
    while true {
      let (frame, isOver): (Frame?, Bool) = state.withLock { state in
        if let frame = state.inFlight.take() ?? state.waiting.take() { return (frame, false) }
        state.isBusy = false
        return (nil, state.isClosed)
      }
      if let frame { return frame }
      if isOver { return nil }
      arrival.wait()
    }
  }
}
