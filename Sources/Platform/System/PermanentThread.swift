internal import Dispatch
internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// A thread that lasts as long as the process: a child that ends with its parent ends with the thread that started it.
final class PermanentThread: Sendable {
  private static let shared = PermanentThread()

  private let jobs = Mutex<[@Sendable () -> Void]>([])
  private let arrival = DispatchSemaphore(value: 0)

  private init?() {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let context = Unmanaged.passRetained(self)
    // Safety: the thread never ends, and neither does the reference that was retained for it.
    let status = pthread_create(
      &thread, nil,
      { context in
        // Optional with Glibc and not with Darwin.
        let given: UnsafeMutableRawPointer? = context
        guard let given else { return nil }
        let own = Unmanaged<PermanentThread>.fromOpaque(given).takeUnretainedValue()
        while true { own.runNext() }
      }, context.toOpaque())
    guard status == 0 else {
      context.release()
      return nil
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
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
