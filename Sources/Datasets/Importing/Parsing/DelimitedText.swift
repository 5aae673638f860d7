internal import Foundation
internal import Platform

/// Rows of comma- or space-separated text, by RFC 4180 with any line ends, read one at a time.
///
/// Where spaces separate, so do tabs, and a line of white space is empty.
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
  /// Positions of columns without a name, which `next` leaves out.
  private var unnamed: Set<Int> = []

  /// Maximum fields of a row; more are an error.
  private static let fieldLimit = 1 << 16
  private static let (endOfDOSText, space, tab): (UInt8, UInt8, UInt8) = (26, 0x20, 0x09)

  init(_ bytes: [UInt8], name: String, separator: Character = ",") {
    self.bytes = bytes.last == Self.endOfDOSText ? Array(bytes.dropLast()) : bytes
    self.name = name
    self.separator = separator.asciiValue ?? 0x2C
    position = ByteOrderMark.byteCount(in: bytes)
  }

  /// Reads a file; throws as `SourceFiles.bytes`, such as for one of more than `limit` bytes, and for text in UTF-16.
  init(_ file: URL, limit: Int = 1 << 30, separator: Character = ",") throws(FileError) {
    let bytes = try SourceFiles.bytes(of: file, limit: limit)
    try TextEncoding.refuseUTF16(bytes, name: file.relativePath)
    self.init(bytes, name: file.relativePath, separator: separator)
  }

  /// The fields of the next row that are not empty, or nil at the end.
  mutating func nextWords() throws(FileError) -> [String]? {
    try next()?.filter { !$0.isEmpty }
  }

  /// The whole number of 0 to `limit` that the next row is, such as how many rows follow; throws `.wrongData` for another row.
  mutating func nextCount(_ expected: String, upTo limit: Int = .max) throws(FileError) -> Int {
    let words = try nextWords() ?? []
    guard words.count == 1, let count = Self.wholeNumber(words[0]), (0...limit).contains(count)
    else {
      throw wrong(expected, found: words.joined(separator: " "))
    }
    return count
  }

  /// The next row with a field that is not empty, or nil at the end; throws `.wrongData` for an open quote.
  mutating func next() throws(FileError) -> [String]? {
    while position < bytes.count {
      line = nextLine
      let fields = try row()
      guard fields.contains(where: { !$0.isEmpty }) else { continue }
      guard !unnamed.isEmpty else { return fields }
      return fields.enumerated().filter { !unnamed.contains($0.offset) }.map(\.element)
    }
    return nil
  }

  /// The first row, as the names of columns; those without a name, as pandas writes numbers of rows, are left out of
  /// this row and of all that follow.
  mutating func header() throws(FileError) -> [String]? {
    guard let fields = try next() else { return nil }
    unnamed = Set(fields.indices.filter { Self.isUnnamed(fields[$0]) })
    return fields.filter { !Self.isUnnamed($0) }
  }

  /// Whether the name of a column is none: empty, or pandas' word for it, such as `Unnamed: 0`.
  static func isUnnamed(_ name: some StringProtocol) -> Bool {
    let word = name.trimmingCharacters(in: .whitespaces)
    return word.isEmpty || word.hasPrefix("Unnamed:")
  }

  /// The whole number that a text is, also where it is written with a fraction of 0; else nil.
  static func wholeNumber(_ text: some StringProtocol) -> Int? {
    let word = text.trimmingCharacters(in: .whitespaces)
    guard word.allSatisfy({ $0.isNumber || "+-.eE".contains($0) }) else { return nil }
    return Int(word) ?? Double(word).flatMap { Int(exactly: $0) }
  }

  /// Whether a text stands for a number that is not there: `nan`, `-nan(ind)`, `1.#IND`, `inf` and the like.
  static func isNoNumber(_ text: some StringProtocol) -> Bool {
    var word = text.trimmingCharacters(in: .whitespaces).lowercased()[...]
    if word.hasPrefix("-") || word.hasPrefix("+") { word = word.dropFirst() }
    return ["nan", "inf", "infinity", "na", "n/a", "none", "null"].contains(String(word))
      || word.hasPrefix("nan(") || word.hasPrefix("1.#")
  }

  /// Whether a text is a number with a decimal comma, as spreadsheets of some languages write it.
  static func hasDecimalComma(_ text: String) -> Bool {
    text.wholeMatch(of: /[-+]?\d+,\d+/) != nil
  }

  /// An error about the row that was read last.
  func wrong(_ expected: String, found: some StringProtocol) -> FileError {
    FileError.wrongData(
      "cannot read \(name), line \(line): expected \(expected), found '\(found.prefix(60))'")
  }

  /// A finite decimal number in a field of the row that was read last.
  func number(_ field: some StringProtocol, in column: String) throws(FileError) -> Double {
    let text = field.trimmingCharacters(in: .whitespaces)
    guard let value = Double(text), value.isFinite,
      !text.contains(where: { $0 == "x" || $0 == "X" })
    else {
      throw wrong(
        "a number in \(column)" + (Self.hasDecimalComma(text) ? " with a decimal point" : ""),
        found: text)
    }
    return value
  }

  /// The numbers of the words of a row, in columns that count from `first`; throws `.wrongData` for a word that is none.
  func numbers(_ words: some Swift.Sequence<String>, from first: Int) throws(FileError) -> [Double]
  {
    var numbers: [Double] = []
    for word in words { numbers.append(try number(word, in: "column \(first + numbers.count)")) }
    return numbers
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
      } else if byte == separator || (separator == Self.space && byte == Self.tab) {
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
