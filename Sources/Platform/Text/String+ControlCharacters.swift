extension String {
  /// The text on one line with control characters written as `\n`, `\t` or `\u{1b}`, safe to show to people.
  ///
  /// Characters that turn the direction of text count as control characters, and so do the bytes of paths that are not
  /// UTF-8, which are written `\xe9`.
  package var withControlCharactersEscaped: String {
    guard unicodeScalars.contains(where: \.isControl) else { return self }
    return unicodeScalars.reduce(into: "") { $0 += $1.isControl ? $1.escaped : String($1) }
  }
}

extension Unicode.Scalar {
  /// Whether a terminal or a page could be steered by it.
  package var isControl: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
    default: isPathByte
    }
  }

  /// How it is written where it may not stand itself.
  package var escaped: String {
    switch self {
    case "\n": "\\n"
    case "\t": "\\t"
    case _ where isPathByte: "\\x\(String(value & 0xFF, radix: 16))"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
