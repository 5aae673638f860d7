#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

/// What asks or makes the process end.
package enum Signal {
  /// Those by which a user or the system asks it to end: SIGINT, SIGTERM and SIGHUP.
  package static let requests = [SIGINT, SIGTERM, SIGHUP]

  /// Calls a function for the next signal of a kind, unless the parent process ignores that; the one after it acts as
  /// without this.
  package static func handle(_ number: Int32, by handler: @convention(c) @escaping (Int32) -> Void)
  {
    var action = sigaction()
    // Safety: sigaction reads and fills whole structures of its own type.
    guard sigaction(number, nil, &action) == 0, !isIgnored(action) else { return }
    action = sigaction()
    set(handler, of: &action)
    // SA_RESETHAND brings the default back as the handler begins: that is the second signal's.
    action.sa_flags = Int32(truncatingIfNeeded: Int(SA_RESETHAND)) | Int32(SA_RESTART)
    sigaction(number, &action, nil)
  }

  /// Lets signals through that a parent blocked, such as a thread of the concurrency runtime.
  package static func unblock(_ numbers: [Int32]) {
    var signals = sigset_t()
    // Safety: these fill and read one signal set.
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  /// Writing to a pipe that nobody reads ends the process silently.
  package static func endByBrokenPipe() { restoreDefault(SIGPIPE) }

  /// A write beyond the file-size limit fails instead of ending the process.
  package static func failBeyondFileSize() { signal(SIGXFSZ, SIG_IGN) }

  /// Ends the process as this signal does by default.
  package static func end(by number: Int32) -> Never {
    restoreDefault(number)
    unblock([number])
    raise(number)
    exit(128 + number)
  }

  private static func restoreDefault(_ number: Int32) {
    var action = sigaction()
    set(SIG_DFL, of: &action)
    // Safety: as above.
    sigaction(number, &action, nil)
  }

  #if canImport(Darwin)
    private static func set(
      _ handler: (@convention(c) (Int32) -> Void)?, of action: inout sigaction
    ) {
      action.__sigaction_u.__sa_handler = handler
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
      // Safety: a handler is a function pointer or one of the small integers that stand for none.
      unsafeBitCast(action.__sigaction_u.__sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
    }
  #else
    private static func set(
      _ handler: (@convention(c) (Int32) -> Void)?, of action: inout sigaction
    ) {
      action.__sigaction_handler.sa_handler = handler
    }

    private static func isIgnored(_ action: sigaction) -> Bool {
      // Safety: a handler is a function pointer or one of the small integers that stand for none.
      unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
        == unsafeBitCast(SIG_IGN, to: Int.self)
    }
  #endif
}
