#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#endif

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

  package static let notFound = SystemError(ENOENT)
  package static let exists = SystemError(EEXIST)
  package static let notFolder = SystemError(ENOTDIR)
  package static let nameTooLong = SystemError(ENAMETOOLONG)
  /// As of a socket that is opened by its path.
  package static let noSuchDevice = SystemError(ENXIO)
  package static let noMemory = SystemError(ENOMEM)
  package static let noAccess = SystemError(EACCES)
  package static let noSpace = SystemError(ENOSPC)
  package static let readOnlyVolume = SystemError(EROFS)
  package static let fileTooLarge = SystemError(EFBIG)
  /// A signal came, and the same call may succeed.
  package static let interrupted = SystemError(EINTR)

  /// Whether the same call may succeed later or on another machine: a device, a server or a resource failed, nothing
  /// that the caller asked for is wrong.
  package var isTransient: Bool { Self.transient.contains(number) }

  private static let transient: Set<Int32> = {
    let everywhere: Set<Int32> = [
      EIO, ESTALE, EAGAIN, EINTR, EBUSY, ETXTBSY, ENOSPC, EDQUOT, ENOMEM, ENOBUFS, EMFILE, ENFILE,
      ENOLCK, EDEADLK, ETIMEDOUT, ECONNREFUSED, ECONNRESET, ECONNABORTED, ENOTCONN, ESHUTDOWN,
      ENETDOWN, ENETUNREACH, ENETRESET, EHOSTDOWN, EHOSTUNREACH, ENOLINK, EPROTO,
    ]
    #if canImport(Darwin)
      return everywhere
    #else
      return everywhere.union([EREMOTEIO, ECOMM])
    #endif
  }()
}
