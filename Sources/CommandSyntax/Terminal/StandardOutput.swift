import Glibc

/// Where a command's data goes, and nothing else.
package enum StandardOutput {
  /// Writes the whole text at once, unbuffered; throws if the system refuses, as on a full disk.
  package static func write(_ text: String) throws(StandardOutputError) {
    let code = writeAll(text, to: STDOUT_FILENO)
    if code != 0 { throw StandardOutputError(code: code) }
  }
}

/// The system's refusal to take output; exit status 74.
package struct StandardOutputError: Error, Equatable, CustomStringConvertible {
  /// The value of `errno`.
  package let code: Int32

  /// The operation and the system's reason, in one line.
  package var description: String {
    // Safety: strerror gives a terminated string, copied at once.
    "cannot write to standard output: \(String(cString: strerror(code)))"
  }
}

/// Writes all bytes of a text to a descriptor; 0, or the `errno` that ended it.
func writeAll(_ text: String, to fileDescriptor: Int32) -> Int32 {
  var text = text
  return text.withUTF8 { bytes in
    var written = 0
    while written < bytes.count {
      // Safety: the pointer and the count stay within `bytes`, which outlives the call.
      let count = Glibc.write(
        fileDescriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
      if count >= 0 {
        written += count
      } else if errno == EAGAIN {
        var wait = pollfd(fd: fileDescriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&wait, 1, -1)
      } else if errno != EINTR {
        return errno
      }
    }
    return 0
  }
}
