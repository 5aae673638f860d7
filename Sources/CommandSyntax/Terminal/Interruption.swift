import Glibc
import Synchronization

/// Lets long loops end in good order when the user or the system asks the program to stop.
///
/// The first SIGINT, SIGTERM or SIGHUP is remembered, and loops ask for it between two frames. The second
/// one of a kind ends the process at once, as it would without this.
package enum Interruption {
  /// Begins to remember SIGINT, SIGTERM and SIGHUP; a signal that the parent process ignores stays ignored.
  ///
  /// SIGPIPE is set to end the process silently, so that `facegauge inspect faces.h5 | head` prints
  /// no error: whoever reads a pipe and leaves has seen enough.
  package static func install() {
    receivedSignal.store(0, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      // Safety: sigaction reads and fills whole structures of its own type.
      guard sigaction(number, nil, &action) == 0 else { continue }
      if isIgnored(action) { continue }
      action = sigaction()
      action.__sigaction_handler.sa_handler = { number in
        receivedSignal.store(number, ordering: .relaxed)
      }
      // SA_RESETHAND brings the default back as the handler begins: that is the second signal's.
      action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND)) | SA_RESTART
      sigaction(number, &action, nil)
    }
    // A parent such as a thread of the concurrency runtime may block signals for its children.
    unblock([SIGINT, SIGTERM, SIGHUP])
    restoreDefault(SIGPIPE)
    // A write beyond the file-size limit then fails, and what was begun is removed.
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Whether the program has been asked to stop.
  package static var isRequested: Bool { receivedSignal.load(ordering: .relaxed) != 0 }

  /// Throws if the program has been asked to stop.
  package static func check() throws(Interrupted) {
    let number = receivedSignal.load(ordering: .relaxed)
    if number != 0 { throw Interrupted(signal: number) }
  }

  /// Ends the process by the signal that was received, so that the shell sees its usual status.
  package static func endProcess(_ interrupted: Interrupted) -> Never {
    restoreDefault(interrupted.signal)
    unblock([interrupted.signal])
    raise(interrupted.signal)
    exit(128 + interrupted.signal)
  }

  private static func unblock(_ numbers: [Int32]) {
    var signals = sigset_t()
    // Safety: these fill and read one signal set.
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    pthread_sigmask(SIG_UNBLOCK, &signals, nil)
  }

  private static func isIgnored(_ action: sigaction) -> Bool {
    // Safety: a handler is a function pointer or one of the small integers that stand for none.
    unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func restoreDefault(_ number: Int32) {
    var action = sigaction()
    action.__sigaction_handler.sa_handler = SIG_DFL
    // Safety: as above.
    sigaction(number, &action, nil)
  }
}

/// The end of a command that was asked to stop.
package struct Interrupted: Error, Equatable, CustomStringConvertible {
  /// The number of the signal, SIGINT, SIGTERM or SIGHUP.
  package let signal: Int32

  /// The word for it.
  package var description: String { "interrupted" }
}

private let receivedSignal = Atomic<Int32>(0)
