internal import Foundation

/// The text of an XML file in a form that cannot end Foundation's parser.
///
/// That parser traps at names that are not UTF-8 and reads address 0 at instructions without content.
enum XMLText {
  /// The file in UTF-8 without its declaration, lines as they were; throws `.wrongData` for other text
  /// and for a document type, which could define entities.
  static func utf8(of bytes: [UInt8], name: String) throws(DatasetError) -> Data {
    var rest = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes[3...] : bytes[...]
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
    var data = Data(repeating: 0x0A, count: lines)
    var instruction = false
    var last: UInt8 = 0
    for byte in body.utf8 {
      switch (last, byte) {
      case (0x3C, 0x3F): instruction = true
      case (_, 0x20), (_, 0x09), (_, 0x0A), (_, 0x0D): instruction = false
      case (0x3F, 0x3E) where instruction:
        data.removeLast()
        data.append(contentsOf: " -?".utf8)
        instruction = false
      default: break
      }
      data.append(byte)
      last = byte
    }
    return data
  }

  private static func text(
    of bytes: [UInt8], encoding: String, linesBefore: Int, name: String
  ) throws(DatasetError) -> String {
    func wrong(at place: Substring, _ expected: String, _ found: String) -> DatasetError {
      let line = 1 + linesBefore + place.count { $0.isNewline }
      return DatasetError(
        .wrongData, "cannot read \(name), line \(line): expected \(expected), found \(found)")
    }
    let text: String
    if encoding == "ISO-8859-1" {
      text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    } else if let valid = String(validating: bytes, as: UTF8.self) {
      text = valid
    } else {
      let whole = String(decoding: bytes, as: UTF8.self).prefix { $0 != "\u{FFFD}" }
      throw wrong(
        at: whole, "UTF-8, or ISO-8859-1 where the XML says so", "other bytes")
    }
    if let start = text.firstRange(of: "<!DOCTYPE") {
      throw wrong(at: text[..<start.lowerBound], "XML without a document type", "<!DOCTYPE")
    }
    return text
  }
}
