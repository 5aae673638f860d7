internal import Dispatch
internal import Synchronization

/// Values that are made on another thread, one after another, before they are asked for.
///
/// At most `depth` values, in addition to the one given last, are in progress or waiting. Only one
/// thread asks for values.
package final class Prefetcher<Value: Sendable> {
  /// Makes one value.
  package typealias Job = @Sendable () -> Value

  private let queue = DispatchQueue(label: "facegauge.ahead")
  private let nextJob: () -> Job?
  private var begun: [Pending] = []

  /// Begins with the first jobs; `nextJob` gives them in order and nil after the last, on the asking thread.
  package init(depth: Int, nextJob: @escaping () -> Job?) {
    self.nextJob = nextJob
    for _ in 0..<depth { begin() }
  }

  /// The next value, as soon as it is made; nil after the last.
  package func next() -> Value? {
    guard !begun.isEmpty else { return nil }
    let first = begun.removeFirst()
    begin()
    return first.take()
  }

  private func begin() {
    guard let job = nextJob() else { return }
    let pending = Pending(job)
    begun.append(pending)
    queue.async { pending.make() }
  }

  /// A value that is made by whoever comes first: the queue, or the asking thread where the system starts no
  /// thread for the queue, as in a small address space.
  private final class Pending: Sendable {
    private enum State {
      case waiting(Job)
      case making
      case made(Value)
    }

    private let state: Mutex<State>
    private let isMade = DispatchSemaphore(value: 0)

    init(_ job: @escaping Job) { state = Mutex(.waiting(job)) }

    func make() {
      let job: Job? = state.withLock { state in
        guard case .waiting(let job) = state else { return nil }
        state = .making
        return job
      }
      guard let job else { return }
      let value = job()
      state.withLock { $0 = .made(value) }
      isMade.signal()
    }

    func take() -> Value? {
      make()
      isMade.wait()
      return state.withLock { state in
        guard case .made(let value) = state else { return nil }
        state = .making
        return value
      }
    }
  }
}
