internal import Platform

/// Where a command's data goes, and nothing else.
package enum StandardOutput {
  /// Writes the whole text at once, unbuffered; throws if the system refuses, as on a full disk.
  package static func write(_ text: String) throws(StandardOutputError) {
    do throws(SystemError) {
      try Descriptor.standardOutput.writeAll(text)
    } catch {
      throw StandardOutputError(code: error.number)
    }
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
    "cannot write to standard output: \(SystemError(code))"
  }
}
