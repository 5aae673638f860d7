package import Foundation
internal import Platform

/// Hears of the elements of an XML text in order.
package protocol XMLHandler: AnyObject {
  /// An element begins; `line` is where its tag ends.
  func start(_ element: String, _ attributes: [String: String], line: Int)
  /// Text inside an element, with its entities replaced.
  func text(_ text: String)
  /// The innermost open element ends.
  func end(_ element: String, line: Int)
  /// The text stops being XML; nothing comes after that.
  func syntaxError(line: Int)
  /// Whether it wants to hear no more.
  var isStopped: Bool { get }
}

/// What an XML file holds; its first failure ends the reading.
protocol XMLDocument: XMLHandler {
  /// What was expected and found, and the line; nil while all is well.
  var failure: (text: String, line: Int)? { get set }
}

extension XMLDocument {
  func syntaxError(line: Int) { fail("expected XML, found a syntax error", line) }

  var isStopped: Bool { failure != nil }

  /// Notes a failure, unless there is one.
  func fail(_ text: String, _ line: Int) {
    if failure == nil { failure = (text, line) }
  }

  /// Reads a file of at most `limit` bytes; throws `.wrongData` for an empty one, and for a failure with its line.
  func read(_ file: URL, limit: Int = 1 << 30) throws(FileError) {
    let name = file.relativePath
    let bytes = try SourceFiles.bytes(of: file, limit: limit)
    guard !bytes.isEmpty else {
      throw FileError.wrongData("cannot read \(name): expected XML, found an empty file")
    }
    XMLReader.read(try XMLText.utf8(of: bytes, name: name), for: self)
    if let failure {
      throw FileError.wrongData("cannot read \(name), line \(failure.line): \(failure.text)")
    }
  }
}

/// Reads well-formed XML without a document type, as ``XMLText`` prepares it.
///
/// Written from Extensible Markup Language 1.0, fifth edition: elements, attributes, character data, the five
/// named entities and numbered characters. Names may have any character above ASCII. Namespaces are not resolved.
package struct XMLReader {
  private let bytes: [UInt8]
  private var position = 0
  private var line = 1
  private var open: [String] = []
  private var sawRoot = false

  /// Elements inside each other at most.
  private static let maxDepth = 256

  private struct SyntaxError: Error {
    let line: Int
  }

  /// Reads all of a text and tells the handler.
  package static func read(_ data: Data, for handler: some XMLHandler) {
    var reader = XMLReader(data)
    do {
      while !handler.isStopped, try reader.readNext(for: handler) {}
    } catch {
      handler.syntaxError(line: error.line)
    }
  }

  private init(_ data: Data) { bytes = [UInt8](data) }

  private var isAtEnd: Bool { position == bytes.count }
  private var rest: ArraySlice<UInt8> { bytes[position...] }

  private func wrong() -> SyntaxError { SyntaxError(line: line) }

  /// Reads a tag, an instruction or a text; false at the end.
  private mutating func readNext(for handler: some XMLHandler) throws(SyntaxError) -> Bool {
    guard !isAtEnd else {
      guard sawRoot, open.isEmpty else { throw wrong() }
      return false
    }
    if rest.starts(with: "<![CDATA[".utf8) {
      guard !open.isEmpty else { throw wrong() }
      try skip("<![CDATA[")
      let text = try take(until: "]]>")
      handler.text(try checked(text))
    } else if rest.starts(with: "<?".utf8) {
      try skip("<?")
      let target = try name()
      guard target.lowercased() != "xml",
        rest.first.map(Self.isSpace) == true || rest.starts(with: "?>".utf8)
      else { throw wrong() }
      _ = try take(until: "?>")
    } else if rest.starts(with: "</".utf8) {
      try skip("</")
      let element = try name()
      skipSpace()
      try skip(">")
      guard open.popLast() == element else { throw wrong() }
      handler.end(element, line: line)
    } else if bytes[position] == UInt8(ascii: "<") {
      try readStart(for: handler)
    } else {
      try readText(for: handler)
    }
    return true
  }

  private mutating func readStart(for handler: some XMLHandler) throws(SyntaxError) {
    guard !sawRoot || !open.isEmpty, open.count < Self.maxDepth else { throw wrong() }
    try skip("<")
    let element = try name()
    var attributes: [String: String] = [:]
    var isEmpty = false
    while true {
      let hasSpace = skipSpace()
      guard !isAtEnd else { throw wrong() }
      if bytes[position] == UInt8(ascii: ">") { break }
      if bytes[position] == UInt8(ascii: "/") {
        position += 1
        isEmpty = true
        break
      }
      guard hasSpace else { throw wrong() }
      let (key, value) = try attribute()
      guard attributes.updateValue(value, forKey: key) == nil else { throw wrong() }
    }
    try skip(">")
    sawRoot = true
    handler.start(element, attributes, line: line)
    if isEmpty {
      handler.end(element, line: line)
    } else {
      open.append(element)
    }
  }

  private mutating func readText(for handler: some XMLHandler) throws(SyntaxError) {
    let (start, startLine) = (position, line)
    let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
    advance(to: end)
    let text = bytes[start..<end]
    if open.isEmpty {
      guard text.allSatisfy(Self.isSpace) else { throw SyntaxError(line: startLine) }
    } else {
      guard !isAtEnd, text.firstRange(of: "]]>".utf8) == nil else {
        throw SyntaxError(line: startLine)
      }
      handler.text(try replaced(text, isValue: false))
    }
  }

  private mutating func attribute() throws(SyntaxError) -> (name: String, value: String) {
    let key = try name()
    skipSpace()
    try skip("=")
    skipSpace()
    guard let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") else {
      throw wrong()
    }
    position += 1
    guard let end = rest.firstIndex(of: quote) else { throw wrong() }
    let value = bytes[position..<end]
    guard !value.contains(UInt8(ascii: "<")) else { throw wrong() }
    let text = try replaced(value, isValue: true)
    advance(to: end + 1)
    return (key, text)
  }

  private mutating func name() throws(SyntaxError) -> String {
    let name = rest.prefix(while: Self.isInName)
    guard let first = name.first, Self.beginsName(first) else { throw wrong() }
    position += name.count
    return String(decoding: name, as: UTF8.self)
  }

  /// The text with its entities replaced and its line ends made one; the space of a value becomes blanks.
  private func replaced(
    _ raw: ArraySlice<UInt8>, isValue: Bool
  ) throws(SyntaxError) -> String {
    guard raw.contains(UInt8(ascii: "&")) || isValue else { return try checked(raw) }
    var text: [UInt8] = []
    var index = raw.startIndex
    while index < raw.endIndex {
      guard raw[index] == UInt8(ascii: "&") else {
        // A line end of two characters is one blank of a value.
        let isFirstOfTwo =
          raw[index] == 0x0D && index + 1 < raw.endIndex && raw[index + 1] == 0x0A
        if !isValue || !isFirstOfTwo {
          text.append(isValue && Self.isSpace(raw[index]) ? UInt8(ascii: " ") : raw[index])
        }
        index += 1
        continue
      }
      guard let end = raw[index...].prefix(16).firstIndex(of: UInt8(ascii: ";")),
        let character = Self.character(raw[(index + 1)..<end])
      else { throw wrong() }
      text += Array(String(character).utf8)
      index = end + 1
    }
    return try checked(text[...])
  }

  /// The character of an entity's name or number.
  private static func character(_ entity: ArraySlice<UInt8>) -> Unicode.Scalar? {
    let name = String(decoding: entity, as: UTF8.self)
    switch name {
    case "lt": return "<"
    case "gt": return ">"
    case "amp": return "&"
    case "apos": return "'"
    case "quot": return "\""
    default: break
    }
    guard name.hasPrefix("#") else { return nil }
    let isHexadecimal = name.hasPrefix("#x")
    let digits = name.dropFirst(isHexadecimal ? 2 : 1)
    guard digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
    return UInt32(digits, radix: isHexadecimal ? 16 : 10).flatMap(Unicode.Scalar.init)
  }

  /// The text if XML allows all of its characters, with line ends as XML has them.
  private func checked(_ text: ArraySlice<UInt8>) throws(SyntaxError) -> String {
    let string = String(decoding: text, as: UTF8.self)
    for scalar in string.unicodeScalars {
      switch scalar.value {
      case 0x09, 0x0A, 0x0D, 0x20...0xFFFD, 0x10000...: continue
      default: throw wrong()
      }
    }
    guard text.contains(0x0D) else { return string }
    return string.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
  }

  // MARK: Moving on

  private mutating func advance(to end: Int) {
    line += bytes[position..<end].count { $0 == 0x0A }
    position = end
  }

  @discardableResult
  private mutating func skipSpace() -> Bool {
    let space = rest.prefix(while: Self.isSpace)
    advance(to: space.endIndex)
    return !space.isEmpty
  }

  private mutating func skip(_ expected: StaticString) throws(SyntaxError) {
    let count = expected.utf8CodeUnitCount
    guard rest.starts(with: "\(expected)".utf8) else { throw wrong() }
    position += count
  }

  /// Everything before the end mark, which is passed over.
  private mutating func take(until mark: String) throws(SyntaxError) -> ArraySlice<UInt8> {
    guard let found = rest.firstRange(of: mark.utf8) else { throw wrong() }
    let taken = bytes[position..<found.lowerBound]
    advance(to: found.upperBound)
    return taken
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
  }

  private static func beginsName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "_"), UInt8(ascii: ":"), 0x80...: true
    default: false
    }
  }

  private static func isInName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: beginsName(byte)
    }
  }
}
