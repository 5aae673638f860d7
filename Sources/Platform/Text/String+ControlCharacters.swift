extension String {
  /// The text on one line with control characters written as `\n`, `\t` or `\u{1b}`, safe to show to people.
  ///
  /// Characters that turn the direction of text count as control characters.
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
    default: false
    }
  }

  /// How it is written where it may not stand itself.
  package var escaped: String {
    switch self {
    case "\n": "\\n"
    case "\t": "\\t"
    default: "\\u{\(String(value, radix: 16))}"
    }
  }
}
