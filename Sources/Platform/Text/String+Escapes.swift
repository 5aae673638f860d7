extension String {
  /// The text as a JSON string, in its quotes.
  package var quotedForJSON: String {
    unicodeScalars.reduce(into: "\"") { quoted, scalar in
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case _ where scalar.value < 0x20:
        quoted += "\\u" + scalar.value.padded(to: 4, radix: 16)
      default: quoted.unicodeScalars.append(scalar)
      }
    } + "\""
  }

  /// The text escaped for an XML attribute or element; characters that XML cannot hold become question marks.
  package var escapedForXML: String {
    unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "&": text += "&amp;"
      case "<": text += "&lt;"
      case ">": text += "&gt;"
      case "'": text += "&apos;"
      case "\"": text += "&quot;"
      case "\t", "\n", "\r": text += "&#\(scalar.value);"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        text += "?"
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  /// The text as a field of CSV (RFC 4180), in quotes where it needs them.
  package var quotedForCSV: String {
    guard unicodeScalars.contains(where: { [",", "\"", "\n", "\r"].contains($0) }) else {
      return self
    }
    // Scalars: a mark that combines with a quote does not hide it from readers.
    return unicodeScalars.reduce(into: "\"") { quoted, scalar in
      quoted.unicodeScalars.append(scalar)
      if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
    } + "\""
  }
}
