internal import Dispatch
internal import Synchronization

/// Values that are made on another thread, one after another, before they are asked for.
///
/// Beside the value that was given last, at most `depth` are made or waiting. One thread asks.
final class WorkAhead<Value: Sendable> {
  /// Makes one value.
  typealias Job = @Sendable () -> Value

  private let queue = DispatchQueue(label: "facegauge.ahead")
  private let nextJob: () -> Job?
  private var begun: [Pending] = []

  /// Begins with the first jobs; `nextJob` gives them in order and nil after the last, on the asking thread.
  init(depth: Int, nextJob: @escaping () -> Job?) {
    self.nextJob = nextJob
    for _ in 0..<depth { begin() }
  }

  /// The next value, as soon as it is made; nil after the last.
  func next() -> Value? {
    guard !begun.isEmpty else { return nil }
    let first = begun.removeFirst()
    begin()
    return first.take()
  }

  private func begin() {
    guard let job = nextJob() else { return }
    let pending = Pending()
    begun.append(pending)
    queue.async { pending.keep(job()) }
  }

  private final class Pending: Sendable {
    private let value = Mutex<Value?>(nil)
    private let isMade = DispatchSemaphore(value: 0)

    func keep(_ made: Value) {
      value.withLock { $0 = made }
      isMade.signal()
    }

    func take() -> Value? {
      isMade.wait()
      return value.withLock { $0.take() }
    }
  }
}
