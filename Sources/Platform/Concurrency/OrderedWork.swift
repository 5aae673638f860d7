internal import Dispatch
internal import Synchronization

/// Works on elements that come one after another, several at a time, and hands the results on in their order.
///
/// Each worker has one element at a time; one that is done takes the next element at once, however long the others take.
/// Everything but the work itself runs in the calling thread.
package final class OrderedWork<Worker: Sendable, Element: Sendable, Value: Sendable> {
  /// What other threads change.
  private final class Shared: Sendable {
    struct State {
      var idle: [Worker]
      var results: [Int: Result<Value, any Error>] = [:]
    }

    let state: Mutex<State>
    let finished = DispatchSemaphore(value: 0)

    init(_ workers: [Worker]) { state = Mutex(State(idle: workers)) }
  }

  private let shared: Shared
  private let workerCount: Int
  private let work: @Sendable (Worker, Element) throws -> Value
  private var (begun, running, taken) = (0, 0, 0)

  /// Elements that are begun before the first of them is taken, for each worker.
  private static var ahead: Int { 4 }

  /// Starts with idle workers, at least one.
  package init(
    _ workers: [Worker], _ work: @escaping @Sendable (Worker, Element) throws -> Value
  ) {
    shared = Shared(workers)
    workerCount = workers.count
    self.work = work
  }

  /// Waits for work that goes on, as after an error of who adds the elements.
  deinit { while running > 0 { wait() } }

  /// Begins with the next element as soon as a worker is idle, and takes the results that are next.
  ///
  /// After an error, of the work or of `take`, no work goes on and nothing may be added.
  package func add(_ element: Element, take: (Value) throws -> Void) throws {
    while running == workerCount || begun - taken >= workerCount * Self.ahead {
      try takeNext(take)
    }
    let index = begun
    begun += 1
    running += 1
    DispatchQueue.global().async { [shared, work] in
      let worker = shared.state.withLock { $0.idle.removeLast() }
      let result = Result { try work(worker, element) }
      shared.state.withLock { state in
        state.results[index] = result
        state.idle.append(worker)
      }
      shared.finished.signal()
    }
  }

  /// Takes the results of everything that was added.
  package func finish(take: (Value) throws -> Void) throws {
    while running > 0 { try takeNext(take) }
  }

  /// Waits for one more result, and takes those whose turn it is.
  private func takeNext(_ take: (Value) throws -> Void) throws {
    wait()
    do {
      while let result = shared.state.withLock({ $0.results.removeValue(forKey: taken) }) {
        taken += 1
        try take(result.get())
      }
    } catch {
      while running > 0 { wait() }
      throw error
    }
  }

  private func wait() {
    shared.finished.wait()
    running -= 1
  }
}
