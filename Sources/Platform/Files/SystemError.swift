internal import Glibc

/// Why the operating system refused a call: a value of `errno`.
package struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The value of `errno`.
  package let number: Int32

  /// Names an error by its number.
  package init(_ number: Int32) { self.number = number }

  /// The error of the call that failed last on this thread.
  package static var last: SystemError { SystemError(errno) }

  /// The system's words, such as `No space left on device`.
  package var description: String {
    // Safety: strerror gives a terminated string, copied at once.
    String(cString: strerror(number))
  }

  /// Whether the same call may succeed later or on another machine: a device, a server or a resource failed, nothing
  /// that the caller asked for is wrong.
  package var isTransient: Bool { Self.transient.contains(number) }

  private static let transient: Set<Int32> = [
    EIO, EREMOTEIO, ESTALE, EAGAIN, EINTR, EBUSY, ETXTBSY, ENOSPC, EDQUOT, ENOMEM, ENOBUFS, EMFILE,
    ENFILE, ENOLCK, EDEADLK, ETIMEDOUT, ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOTCONN, ESHUTDOWN,
    ENETDOWN, ENETUNREACH, ENETRESET, EHOSTDOWN, EHOSTUNREACH, ENOLINK, ECOMM, EPROTO,
  ]
}
