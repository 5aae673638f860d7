internal import Platform
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
    for number in Signal.requests {
      Signal.handle(number) { number in receivedSignal.store(number, ordering: .relaxed) }
    }
    Signal.unblock(Signal.requests)
    Signal.endByBrokenPipe()
    // What was begun is removed then.
    Signal.failBeyondFileSize()
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
    Signal.end(by: interrupted.signal)
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
