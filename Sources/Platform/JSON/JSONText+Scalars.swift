extension JSONText {
  /// Reads digits with sign, fraction and exponent; exact to the last bit.
  mutating func digits() throws(FileError) -> Double {
    let start = position
    var mantissa: UInt64 = 0
    var (isExact, exponent) = (true, 0)
    func take(_ json: inout JSONText, scale: Int) throws(FileError) {
      let first = json.position
      while let byte = json.current, (0x30...0x39).contains(byte) {
        if mantissa < 1 << 49 {
          mantissa = mantissa * 10 + UInt64(byte - 0x30)
          exponent += scale
        } else {
          isExact = false
        }
        json.position += 1
      }
      guard json.position > first else { throw json.broken("a digit") }
    }
    let isNegative = current == 0x2D
    if isNegative { position += 1 }
    if current == 0x49 {
      throw wrong("a number", found: "-\(word), which Python writes and JSON does not have")
    }
    let first = position
    try take(&self, scale: 0)
    if bytes[first] == 0x30, position > first + 1 {
      position = first + 1
      throw broken("no digit after a leading 0")
    }
    if current == 0x2E {
      position += 1
      try take(&self, scale: -1)
    }
    if current == 0x65 || current == 0x45 {
      isExact = false
      position += 1
      if current == 0x2B || current == 0x2D { position += 1 }
      let digit = position
      while let byte = current, (0x30...0x39).contains(byte) { position += 1 }
      guard position > digit else { throw broken("a digit") }
    }
    // Both factors are exact in a double; their quotient is rounded once.
    if isExact, -exponent < Self.powersOfTen.count {
      let value = Double(mantissa) / Self.powersOfTen[-exponent]
      return isNegative ? -value : value
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw wrong("a number that a double can hold", found: text)
    }
    return value
  }

  /// Reads from a quote to the next, escapes resolved.
  mutating func characters() throws(FileError) -> String {
    position += 1
    let start = position
    var all: UInt8 = 0
    while let byte = current, byte != 0x22, byte != 0x5C, byte >= 0x20 {
      all |= byte
      position += 1
    }
    var content = bytes[start..<position]
    if current == 0x22, all < 0x80 {
      // ASCII needs no validation, which is not specialized.
      position += 1
      return String(decoding: content, as: UTF8.self)
    }
    while current != 0x22 {
      guard let byte = current, byte >= 0x20 else {
        throw broken("a closing quote before any control character")
      }
      position += 1
      if byte == 0x5C {
        content.append(contentsOf: try escaped())
      } else {
        content.append(byte)
      }
    }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw broken("a text in UTF-8 before this")
    }
    position += 1
    return text
  }

  private mutating func escaped() throws(FileError) -> [UInt8] {
    guard let byte = current else { throw broken("an escape") }
    position += 1
    switch byte {
    case 0x22, 0x5C, 0x2F: return [byte]
    case 0x62: return [8]
    case 0x66: return [12]
    case 0x6E: return [10]
    case 0x72: return [13]
    case 0x74: return [9]
    case 0x75:
      var units = [try codeUnit()]
      if (0xD800..<0xDC00).contains(units[0]), current == 0x5C, next == 0x75 {
        position += 2
        units.append(try codeUnit())
      }
      guard let text = String(validating: units, as: UTF16.self) else {
        throw broken("a pair of surrogates before this")
      }
      return Array(text.utf8)
    default:
      position -= 1
      throw broken("an escape")
    }
  }

  private mutating func codeUnit() throws(FileError) -> UInt16 {
    let text = String(decoding: bytes[position..<min(position + 4, bytes.count)], as: UTF8.self)
    guard text.utf8.count == 4, text.allSatisfy(\.isHexDigit), let unit = UInt16(text, radix: 16)
    else { throw broken("4 hexadecimal digits") }
    position += 4
    return unit
  }
}
