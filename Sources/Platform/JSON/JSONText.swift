/// Reads JSON from bytes value by value; only the current value is kept in memory.
package struct JSONText {
  /// The kind of the next value.
  package enum Kind: String, Sendable {
    /// Members by key.
    case object = "an object"
    /// Elements in order.
    case array = "a list"
    /// Characters in quotes.
    case text = "a text"
    /// Digits.
    case number = "a number"
    /// A truth value.
    case flag = "true or false"
    /// Nothing.
    case null = "null"
  }

  private enum Step {
    case key(String)
    case index(Int)
  }

  /// The file's name, for messages.
  package let name: String
  /// The line of the file that the bytes are, from 1; nil where they are the whole file.
  private let line: Int?
  let bytes: [UInt8]
  var position: Int
  private var path: [Step] = []
  /// The keys so far of the objects that are being read, the outermost first.
  private var keys: [String] = []

  /// Maximum nesting of objects and arrays; more is an error.
  private static let depthLimit = 64
  private static let keysCompared = 16
  static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20, 1e21, 1e22,
  ]

  /// Starts before the first value of a file, or of one of its lines.
  package init(_ bytes: [UInt8], name: String, line: Int? = nil) {
    self.bytes = bytes
    self.name = name
    self.line = line
    position = ByteOrderMark.byteCount(in: bytes)
  }

  /// An error about the current value, which is well-formed JSON, with its key path.
  package func wrong(_ expected: String, found: some StringProtocol) -> FileError {
    FileError(place, at: keyPath, expected: expected, found: String(found.prefix(60)))
  }

  /// Keys and indices that lead to the current value.
  var keyPath: String {
    var keyPath = ""
    for step in path {
      switch step {
      case .key(let key): keyPath += (keyPath.isEmpty ? "" : ".") + key.prefix(40)
      case .index(let index): keyPath += "[\(index)]"
      }
    }
    return keyPath
  }

  /// Whether only white space is left.
  package mutating func isAtEnd() -> Bool {
    skipSpace()
    return position == bytes.count
  }

  /// The file and, where the bytes are one of its lines, which.
  var place: String { line.map { "\(name), line \($0)" } ?? name }

  /// The kind of the next value; throws if there is none.
  package mutating func kind() throws(FileError) -> Kind {
    skipSpace()
    switch current {
    case 0x7B: return .object
    case 0x5B: return .array
    case 0x22: return .text
    case 0x74, 0x66: return .flag
    case 0x6E: return .null
    case .some(let byte) where byte == 0x2D || (0x30...0x39).contains(byte): return .number
    case 0x4E, 0x49:
      throw wrong("a JSON value", found: "\(word), which Python writes and JSON does not have")
    default: throw broken(path.isEmpty ? "JSON" : "a value")
    }
  }

  /// Reads an object; the closure must read or skip the value of each key.
  package mutating func members(
    _ body: (inout JSONText, _ key: String) throws(FileError) -> Void
  ) throws(FileError) {
    guard try begins(.object) else { return }
    let first = keys.count
    // Few keys are compared one by one in less time than they are hashed.
    var seen: Set<String> = []
    repeat {
      skipSpace()
      guard current == 0x22 else { throw broken("a key in quotes") }
      let key = try characters()
      let isNew: Bool
      if keys.count - first < Self.keysCompared {
        isNew = !keys[first...].contains(key)
        keys.append(key)
      } else {
        if seen.isEmpty { seen = Set(keys[first...]) }
        isNew = seen.insert(key).inserted
      }
      guard isNew else {
        throw wrong("each key once", found: "'\(key)' twice")
      }
      skipSpace()
      guard current == 0x3A else { throw broken("':'") }
      position += 1
      path.append(.key(key))
      try body(&self, key)
      path.removeLast()
    } while try goesOn(until: 0x7D)
    keys.removeSubrange(first...)
  }

  /// Reads an array; the closure must read or skip each element.
  package mutating func elements(
    _ body: (inout JSONText) throws(FileError) -> Void
  ) throws(FileError) {
    guard try begins(.array) else { return }
    var index = 0
    repeat {
      path.append(.index(index))
      try body(&self)
      path.removeLast()
      index += 1
    } while try goesOn(until: 0x5D)
  }

  /// Reads a text.
  package mutating func text() throws(FileError) -> String {
    try require(.text)
    return try characters()
  }

  /// Reads a finite number.
  package mutating func number() throws(FileError) -> Double {
    try require(.number)
    return try digits()
  }

  /// Reads a number without a fraction within the range.
  package mutating func integer(in range: ClosedRange<Int>) throws(FileError) -> Int {
    let value = try number()
    guard let whole = Int(exactly: value), range.contains(whole) else {
      throw wrong(
        "a whole number from \(range.lowerBound) to \(range.upperBound)", found: value.plainText)
    }
    return whole
  }

  /// Reads an array of numbers.
  package mutating func numbers() throws(FileError) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(4)
    try elements { (json) throws(FileError) in values.append(try json.number()) }
    return values
  }

  /// Reads true, false, 1 or 0.
  package mutating func flag() throws(FileError) -> Bool {
    switch try kind() {
    case .flag:
      if try literal("true") { return true }
      return try !literal("false", isRequired: true)
    case .number: return try integer(in: 0...1) == 1
    case let other: throw wrong("true, false, 1 or 0", found: other.rawValue)
    }
  }

  /// Skips a null; false if the next value is another one.
  package mutating func null() throws(FileError) -> Bool {
    guard try kind() == .null else { return false }
    return try literal("null", isRequired: true)
  }

  /// Reads a number; nil for a value of another kind, which is skipped.
  package mutating func numberOrSkip() throws(FileError) -> Double? {
    skipSpace()
    guard current != 0x4E, current != 0x49, next != 0x49, try kind() == .number else {
      try skip()
      return nil
    }
    return try number()
  }

  /// Skips a value of any kind; true if it is neither null nor empty.
  @discardableResult
  package mutating func skip() throws(FileError) -> Bool {
    skipSpace()
    // NaN and infinity from Python do no harm in a value that is skipped.
    if current == 0x4E || current == 0x49 || (current == 0x2D && next == 0x49) {
      let word = word
      guard ["NaN", "Infinity", "-Infinity"].contains(word) else { throw broken("a value") }
      position += word.utf8.count
      return true
    }
    var hasContent = false
    switch try kind() {
    case .object:
      try members { (json, _) throws(FileError) in
        hasContent = true
        try json.skip()
      }
    case .array:
      try elements { (json) throws(FileError) in
        hasContent = true
        try json.skip()
      }
    case .text: hasContent = try !characters().isEmpty
    case .number:
      _ = try digits()
      hasContent = true
    case .flag:
      _ = try flag()
      hasContent = true
    case .null: _ = try null()
    }
    return hasContent
  }

  /// Throws unless only white space is left.
  package mutating func finish() throws(FileError) {
    skipSpace()
    guard position == bytes.count else { throw broken("the end of the file") }
  }

  var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  var next: UInt8? { position + 1 < bytes.count ? bytes[position + 1] : nil }

  /// The next signs, letters and digits, at most 20.
  var word: String {
    let end = bytes[position...].prefix(20).prefix {
      $0 == 0x2D || (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
    }.endIndex
    return String(decoding: bytes[position..<end], as: UTF8.self)
  }

  /// An error about text that is not JSON, with line and column.
  func broken(_ expected: String) -> FileError {
    var (line, start) = (line ?? 1, 0)
    for index in 0..<min(position, bytes.count) where bytes[index] == 0x0A {
      line += 1
      start = index + 1
    }
    let found: String
    switch current {
    case nil: found = "the end of the file"
    case .some where position == 0 && bytes.starts(with: [0x89, 0x48, 0x44, 0x46]):
      found = "an HDF5 file"
    case .some(let byte) where (0x21...0x7E).contains(byte):
      found = "'\(Character(Unicode.Scalar(byte)))'"
    case .some(let byte): found = "byte \(byte)"
    }
    return FileError(
      .wrongData,
      "cannot read \(name), line \(line), column \(position - start + 1): expected \(expected), "
        + "found \(found)")
  }

  private mutating func require(_ expected: Kind) throws(FileError) {
    skipSpace()
    if current == 0x4E || current == 0x49 {
      throw wrong(
        expected.rawValue, found: "\(word), which Python writes and JSON does not have")
    }
    let found = try kind()
    guard found == expected else { throw wrong(expected.rawValue, found: found.rawValue) }
  }

  /// Skips the opening bracket; false if the closing one follows, which is skipped too.
  private mutating func begins(_ kind: Kind) throws(FileError) -> Bool {
    try require(kind)
    guard path.count < Self.depthLimit else {
      throw broken("at most \(Self.depthLimit) nested values")
    }
    position += 1
    skipSpace()
    guard current == (kind == .object ? 0x7D : 0x5D) else { return true }
    position += 1
    return false
  }

  /// Skips a comma or the closing bracket; true after a comma.
  private mutating func goesOn(until closing: UInt8) throws(FileError) -> Bool {
    skipSpace()
    guard current == 0x2C || current == closing else {
      throw broken("',' or '\(Character(Unicode.Scalar(closing)))'")
    }
    position += 1
    return bytes[position - 1] == 0x2C
  }

  private mutating func skipSpace() {
    while let byte = current, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
    }
  }

  private mutating func literal(
    _ expected: String, isRequired: Bool = false
  ) throws(FileError) -> Bool {
    guard word == expected else {
      if isRequired { throw broken(path.isEmpty ? "JSON" : "true, false or null") }
      return false
    }
    position += expected.utf8.count
    return true
  }
}
