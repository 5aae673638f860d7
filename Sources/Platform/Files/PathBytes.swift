/// Paths are bytes to the system and text here: a byte that is not UTF-8 is one of the private characters U+EF80 to U+EFFF.
///
/// So is each byte of such a character itself, which makes the text of every path another one.
extension String {
  /// The text that stands for the bytes of a path.
  package init(pathBytes bytes: some Sequence<UInt8>) {
    var rest = Array(bytes)[...]
    if let text = String(validating: rest, as: UTF8.self),
      !text.unicodeScalars.contains(where: \.isPathByte)
    {
      self = text
      return
    }
    self = ""
    while let first = rest.first {
      let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
      if let scalar = String(validating: rest.prefix(length), as: UTF8.self)?.unicodeScalars.first,
        !scalar.isPathByte
      {
        unicodeScalars.append(scalar)
        rest = rest.dropFirst(length)
      } else {
        unicodeScalars.append(Unicode.Scalar(pathByte: first))
        rest = rest.dropFirst()
      }
    }
  }

  /// The text that stands for a path as the system's functions give it.
  package init(pathText text: UnsafePointer<CChar>) {
    // Safety: such a text is terminated; its bytes are copied at once.
    var count = 0
    while text[count] != 0 { count += 1 }
    self.init(pathBytes: UnsafeRawBufferPointer(start: UnsafeRawPointer(text), count: count))
  }

  /// The bytes of a path, with the zero that the system's functions expect at the end.
  package var pathBytes: [CChar] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count + 1)
    if unicodeScalars.contains(where: \.isPathByte) {
      for scalar in unicodeScalars {
        if scalar.isPathByte {
          bytes.append(UInt8(truncatingIfNeeded: scalar.value))
        } else {
          bytes += String(scalar).utf8
        }
      }
    } else {
      bytes += utf8
    }
    bytes.append(0)
    return bytes.map { CChar(bitPattern: $0) }
  }
}

extension Unicode.Scalar {
  /// Whether it stands for a byte of a path that is not UTF-8.
  var isPathByte: Bool { (0xEF80...0xEFFF).contains(value) }

  /// The character that stands for a byte of 0x80 or more, and the character of a smaller one.
  fileprivate init(pathByte byte: UInt8) {
    self = Unicode.Scalar(UInt32(byte) + 0xEF00) ?? Unicode.Scalar(byte)
  }
}
