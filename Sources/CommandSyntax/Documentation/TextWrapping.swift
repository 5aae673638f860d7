/// Breaks text into lines of at most a number of terminal columns.
package enum TextWrapping {
  /// Breaks at spaces; a word longer than the line stands alone on its own.
  package static func lines(of text: String, columns: Int) -> [String] {
    lines(of: text.split(separator: " ").map(String.init), columns: columns)
  }

  /// Puts as many unbreakable parts on a line as fit, one space apart.
  static func lines(of parts: [String], columns: Int) -> [String] {
    var lines: [String] = []
    for part in parts {
      if let last = lines.last, last.displayWidth + 1 + part.displayWidth <= columns {
        lines[lines.count - 1] = last + " " + part
      } else {
        lines.append(part)
      }
    }
    return lines
  }

  /// Breaks each line of a text separately; lines that begin with two spaces are kept.
  static func paragraphs(of text: String, columns: Int) -> [String] {
    text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      line.isEmpty || line.hasPrefix("  ")
        ? [String(line)] : lines(of: String(line), columns: columns)
    }
  }
}

extension String {
  /// The number of terminal columns: two for wide East Asian characters and emoji, one for others.
  package var displayWidth: Int {
    reduce(0) { $0 + $1.displayWidth }
  }
}

extension Character {
  /// Two for wide East Asian characters and emoji, one for others.
  var displayWidth: Int {
    guard let scalar = unicodeScalars.first else { return 0 }
    switch scalar.value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF,
      0x20000...0x3FFFD:
      return 2
    default:
      return 1
    }
  }
}
