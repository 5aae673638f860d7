internal import Dispatch
internal import Synchronization

/// Frames as they come: one in flight, the newest that waits, and a count of the others.
///
/// Any thread offers and closes; one thread takes. Nobody holds the lock while a frame is analysed.
package final class LiveFrameQueue<Content: Sendable>: Sendable {
  /// A frame on its way.
  package struct Frame: Sendable {
    /// What is to be analysed.
    package var content: Content
    var timestampMicroseconds: Int64
    /// Times of the frames that this one replaced, in order.
    var dropped: [Int64] = []

    /// Names the time of what is to be analysed.
    package init(_ content: Content, timestampMicroseconds: Int64) {
      (self.content, self.timestampMicroseconds) = (content, timestampMicroseconds)
    }
  }

  /// What an offer came to.
  package enum Admission {
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

  /// A queue without frames.
  package init() {}

  var droppedCount: Int { state.withLock { $0.droppedCount } }

  /// Starts a frame, or replaces the one that waits.
  @discardableResult
  package func offer(_ frame: Frame) -> Admission {
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
  package func close() {
    let wasIdle = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed && !state.isBusy
    }
    if wasIdle { arrival.signal() }
  }

  /// The next frame to analyse, once the one before is done with; nil when there will be none.
  package func next() -> Frame? {
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
