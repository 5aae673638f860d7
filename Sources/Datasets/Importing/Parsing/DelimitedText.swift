internal import Foundation
internal import Platform

/// Rows of comma- or tab-separated text, by RFC 4180 with any line ends, read one at a time.
///
/// A last byte of 26 (Ctrl-Z), with which DOS ends a text, is not part of it.
struct DelimitedText {
  /// The file's name, for messages.
  let name: String
  /// 1-based line number of the row that was read last.
  private(set) var line = 0
  private let bytes: [UInt8]
  private let separator: UInt8
  private var position: Int
  private var nextLine = 1

  /// Maximum fields of a row; more are an error.
  private static let fieldLimit = 1 << 16
  private static let endOfDOSText: UInt8 = 26

  init(_ bytes: [UInt8], name: String, separator: Character = ",") {
    self.bytes = bytes.last == Self.endOfDOSText ? Array(bytes.dropLast()) : bytes
    self.name = name
    self.separator = separator.asciiValue ?? 0x2C
    position = ByteOrderMark.byteCount(in: bytes)
  }

  /// The next row that is not empty, or nil at the end; throws `.wrongData` for an open quote.
  mutating func next() throws(FileError) -> [String]? {
    while position < bytes.count {
      line = nextLine
      let fields = try row()
      if fields.count > 1 || fields.first?.isEmpty == false { return fields }
    }
    return nil
  }

  /// An error about the row that was read last.
  func wrong(_ expected: String, found: some StringProtocol) -> FileError {
    FileError(
      .wrongData,
      "cannot read \(name), line \(line): expected \(expected), found '\(found.prefix(60))'")
  }

  /// A finite decimal number in a field of the row that was read last.
  func number(_ field: some StringProtocol, in column: String) throws(FileError) -> Double {
    let text = field.trimmingCharacters(in: .whitespaces)
    guard let value = Double(text), value.isFinite,
      !text.contains(where: { $0 == "x" || $0 == "X" })
    else { throw wrong("a number in \(column)", found: text) }
    return value
  }

  private mutating func row() throws(FileError) -> [String] {
    var fields: [String] = []
    while true {
      let (field, isLast) = try field()
      guard fields.count < Self.fieldLimit else {
        throw wrong("at most \(Self.fieldLimit) fields", found: "more")
      }
      fields.append(field)
      if isLast { return fields }
    }
  }

  private mutating func field() throws(FileError) -> (text: String, isLast: Bool) {
    var content: [UInt8] = []
    var isQuoted = false
    if position < bytes.count, bytes[position] == 0x22 {
      isQuoted = true
      position += 1
    }
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if isQuoted {
        if byte == 0x22 {
          guard position < bytes.count, bytes[position] == 0x22 else {
            isQuoted = false
            continue
          }
          position += 1
        } else if byte == 0x0A {
          nextLine += 1
        }
        content.append(byte)
      } else if byte == separator {
        return (String(decoding: content, as: UTF8.self), false)
      } else if byte == 0x0A || byte == 0x0D {
        if byte == 0x0D, position < bytes.count, bytes[position] == 0x0A { position += 1 }
        nextLine += 1
        return (String(decoding: content, as: UTF8.self), true)
      } else {
        content.append(byte)
      }
    }
    guard !isQuoted else { throw wrong("a closing quote", found: "the end of the file") }
    return (String(decoding: content, as: UTF8.self), true)
  }
}
