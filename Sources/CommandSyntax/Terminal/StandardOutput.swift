import Glibc

/// Where a command's data goes, and nothing else.
package enum StandardOutput {
  /// Writes the whole text at once, unbuffered; throws if the system refuses, as on a full disk.
  package static func write(_ text: String) throws(StandardOutputError) {
    let code = writeAll(text, to: STDOUT_FILENO)
    if code != 0 { throw StandardOutputError(code: code) }
  }

  /// Writes a line for each text; control characters inside them, as names from a file may have, are escaped.
  package static func writeLines(_ lines: [String]) throws(StandardOutputError) {
    try write(lines.map { $0.withoutControlCharacters + "\n" }.joined())
  }

  /// Writes JSON, in whose texts the characters that could steer a terminal are escaped.
  package static func writeJSON(_ text: String) throws(StandardOutputError) {
    // Below a space JSON has escaped them already.
    func isControl(_ scalar: Unicode.Scalar) -> Bool {
      [0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069].contains { $0.contains(scalar.value) }
    }
    guard text.unicodeScalars.contains(where: isControl) else { return try write(text) }
    try write(
      text.unicodeScalars.reduce(into: "") { result, scalar in
        guard isControl(scalar) else { return result.unicodeScalars.append(scalar) }
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      })
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
