internal import Dispatch
internal import Glibc
internal import Synchronization

/// A thread that lasts as long as the process: a child that ends with its parent ends with the thread that started it.
final class PermanentThread: Sendable {
  private static let shared = PermanentThread()

  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let arrival = DispatchSemaphore(value: 0)

  private init?() {
    var thread = pthread_t()
    let context = Unmanaged.passRetained(self)
    // Safety: the thread never ends, and neither does the reference that was retained for it.
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        let own = Unmanaged<PermanentThread>.fromOpaque(context).takeUnretainedValue()
        while true { own.runNext() }
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      return nil
    }
    pthread_detach(thread)
  }

  private func runNext() {
    arrival.wait()
    let job = jobs.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    job?()
  }

  /// Runs something there and waits for it; on the calling thread where the system starts no thread.
  static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) -> Result {
    guard let shared else { return body() }
    let result = Holder<Result>()
    let done = DispatchSemaphore(value: 0)
    shared.jobs.withLock {
      $0.append {
        result.value.withLock { $0 = body() }
        done.signal()
      }
    }
    shared.arrival.signal()
    done.wait()
    return result.value.withLock { $0 } ?? body()
  }

  private final class Holder<Result: Sendable>: Sendable {
    let value = Mutex<Result?>(nil)
  }
}
