internal import Foundation
internal import Platform

/// Prepares the text of an XML file for `XMLReader`.
enum XMLText {
  /// The file in UTF-8 without its declaration, with its lines kept; throws `.wrongData` for other text
  /// and for a document type, which could define entities.
  static func utf8(of bytes: [UInt8], name: String) throws(FileError) -> Data {
    var rest = bytes[ByteOrderMark.byteCount(in: bytes)...]
    var (encoding, lines) = ("UTF-8", 0)
    if rest.starts(with: "<?xml".utf8), let end = rest.prefix(256).firstIndex(of: 0x3E) {
      let declaration = String(decoding: rest[...end], as: UTF8.self)
      if let found = declaration.firstMatch(of: #/encoding\s*=\s*["']([^"']*)["']/#) {
        encoding = found.1.uppercased()
      }
      lines = declaration.count { $0.isNewline }
      rest = rest[(end + 1)...]
    }
    let body = try text(of: Array(rest), encoding: encoding, linesBefore: lines, name: name)
    return try cleaned(Array(body.utf8), linesBefore: lines, name: name)
  }

  /// Maximum bytes of one tag, and of the text between two: they are kept in memory.
  private static let maxTagBytes = 1 << 16
  private static let maxTextBytes = 1 << 20

  /// Removes comments, and refuses tags and texts that are too long.
  private static func cleaned(
    _ body: [UInt8], linesBefore lines: Int, name: String
  ) throws(FileError) -> Data {
    var data = Data(repeating: 0x0A, count: lines)
    data.reserveCapacity(lines + body.count)
    var position = 0
    func wrong(_ expected: String, _ found: String) -> FileError {
      let line = 1 + lines + body[..<position].count { $0 == 0x0A }
      return FileError.wrongData(
        "cannot read \(name), line \(line): expected \(expected), found \(found)")
    }
    while position < body.count {
      let rest = body[position...]
      if rest.starts(with: "<!--".utf8) {
        guard let end = rest.dropFirst(4).firstRange(of: "-->".utf8)?.upperBound else {
          throw wrong("the end of a comment", "the end of the file")
        }
        data.append(contentsOf: rest[..<end].filter { $0 == 0x0A })
        position = end
      } else if rest.first == 0x3C {
        let isCharacterData = rest.starts(with: "<![CDATA[".utf8)
        let end =
          isCharacterData
          ? rest.prefix(maxTagBytes).firstRange(of: "]]>".utf8)?.upperBound
          : tagEnd(rest.prefix(maxTagBytes))
        guard let end else {
          // If the file ends inside a tag, the reader reports it.
          guard rest.count < maxTagBytes else {
            throw wrong("tags of at most \(maxTagBytes) bytes", "a longer one")
          }
          data.append(contentsOf: rest)
          return data
        }
        data.append(contentsOf: rest[..<end])
        position = end
      } else {
        let end = rest.firstIndex(of: 0x3C) ?? body.count
        guard end - position <= maxTextBytes else {
          throw wrong("texts of at most \(maxTextBytes) bytes", "a longer one")
        }
        data.append(contentsOf: rest[..<end])
        position = end
      }
    }
    return data
  }

  /// The index after the `>` that ends a tag; nil if there is none. A quoted value may contain one.
  private static func tagEnd(_ tag: ArraySlice<UInt8>) -> Int? {
    var quote: UInt8?
    for index in tag.indices {
      switch (tag[index], quote) {
      case (let byte, let open?): if byte == open { quote = nil }
      case (0x22, nil), (0x27, nil): quote = tag[index]
      case (0x3E, nil): return index + 1
      default: break
      }
    }
    return nil
  }

  private static func text(
    of bytes: [UInt8], encoding: String, linesBefore: Int, name: String
  ) throws(FileError) -> String {
    func wrong(at position: Substring, _ expected: String, _ found: String) -> FileError {
      let line = 1 + linesBefore + position.count { $0.isNewline }
      return FileError.wrongData(
        "cannot read \(name), line \(line): expected \(expected), found \(found)")
    }
    let text: String
    if encoding == "ISO-8859-1" {
      text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    } else if let valid = String(validating: bytes, as: UTF8.self) {
      text = valid
    } else {
      let whole = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
      throw wrong(at: whole, "UTF-8, or ISO-8859-1 if the XML declares it", "other bytes")
    }
    if let start = text.firstRange(of: "<!DOCTYPE") {
      throw wrong(at: text[..<start.lowerBound], "XML without a document type", "<!DOCTYPE")
    }
    return text
  }
}
