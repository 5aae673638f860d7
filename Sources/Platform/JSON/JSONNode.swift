/// A value of a JSON file and its position there; what is not expected throws, with both.
package struct JSONNode: Sendable {
  /// The file's name, for messages.
  package let source: String
  /// Keys and indices that lead to the value, such as `gates[2].limit`; empty for the root.
  package let position: String
  /// The value; nil where the key is not there.
  package let value: JSONValue?

  /// The root of a file, or of one of its lines.
  package init(_ bytes: [UInt8], source: String, line: Int? = nil) throws(FileError) {
    var json = JSONText(bytes, name: source, line: line)
    value = try JSONValue(&json)
    try json.finish()
    (self.source, position) = (json.place, "")
  }

  /// The next value of a text that is read value by value.
  package init(next json: inout JSONText) throws(FileError) {
    position = json.keyPath
    source = json.place
    value = try JSONValue(&json)
  }

  /// The root of a file of a schema, with these keys and the optional ones, and no others.
  package init(
    _ bytes: [UInt8], source: String, header: JSONHeader, keys: [String], optional: [String] = []
  ) throws(FileError) {
    try header.check(bytes, source: source)
    try self.init(bytes, source: source)
    let head = self["schema"].isGiven ? "schema" : "format"
    try requireKeys([head, "version"] + keys, optional: optional)
  }

  private init(_ value: JSONValue?, at position: String, of source: String) {
    (self.value, self.position, self.source) = (value, position, source)
  }

  /// The error for another value than the expected one.
  package func wrong(_ expected: String, found: String? = nil) -> FileError {
    FileError(
      source, at: position, expected: expected, found: found ?? value?.summary ?? "nothing")
  }

  /// Whether the key is there.
  package var isGiven: Bool { value != nil }

  /// Itself, or nil where the key is not there.
  package var given: JSONNode? { isGiven ? self : nil }

  /// Itself, or nil where the key is not there or its value is null.
  package var unlessNull: JSONNode? { value == .null ? nil : given }

  /// The number that it is; nil for anything else.
  package var ifNumber: Double? { if case .number(let number)? = value { number } else { nil } }

  /// The text that it is; nil for anything else.
  package var ifText: String? { if case .string(let text)? = value { text } else { nil } }

  /// The keys of an object, in order.
  package func keys() throws(FileError) -> [String] {
    guard case .object(let members)? = value else { throw wrong("an object") }
    return members.keys.sorted()
  }

  /// The member of an object; a node without a value where there is none.
  package subscript(key: String) -> JSONNode {
    var member: JSONValue?
    if case .object(let members)? = value { member = members[key] }
    return JSONNode(member, at: position.isEmpty ? key : "\(position).\(key)", of: source)
  }

  /// Throws unless it is an object that has these keys, and no others than those and the optional ones.
  package func requireKeys(_ required: [String] = [], optional: [String] = []) throws(FileError) {
    let known = required + optional
    let list = known.joined(separator: ", ")
    guard case .object(let members)? = value else { throw wrong("an object with the keys \(list)") }
    if let unknown = members.keys.filter({ !known.contains($0) }).min() {
      throw wrong(
        "only the keys \(list)" + Suggestion.perhaps(unknown, among: known, quote: "\""),
        found: "the key \"\(unknown.prefix(60))\"")
    }
    if let missing = required.first(where: { members[$0] == nil }) {
      throw wrong("the key \"\(missing)\"", found: "none")
    }
  }

  /// The elements of a list whose length is in a range; `noun` is what messages call them.
  package func items(
    _ range: ClosedRange<Int> = 0...Int.max, of noun: String = "elements"
  ) throws(FileError) -> [JSONNode] {
    guard case .array(let items)? = value else { throw wrong("a list of \(noun)") }
    guard range ~= items.count else {
      let (least, most) = (range.lowerBound, range.upperBound)
      let count =
        most == .max ? "\(least) or more" : least == most ? "\(least)" : "\(least) to \(most)"
      throw wrong("a list of \(count) \(noun)", found: items.isEmpty ? nil : "\(items.count)")
    }
    return items.indices.map { JSONNode(items[$0], at: "\(position)[\($0)]", of: source) }
  }

  /// A text that is not empty.
  package func text(_ expected: String = "a text") throws(FileError) -> String {
    guard case .string(let text)? = value, !text.isEmpty else { throw wrong(expected) }
    return text
  }

  /// Texts in a list that is not empty.
  package func texts(_ noun: String = "texts") throws(FileError) -> [String] {
    try items(1...Int.max, of: noun).map { (item) throws(FileError) in try item.text() }
  }

  /// A finite number.
  package func number(_ expected: String = "a finite number") throws(FileError) -> Double {
    guard case .number(let number)? = value else { throw wrong(expected) }
    return number
  }

  /// A number in a range.
  package func number(_ range: ClosedRange<Double>) throws(FileError) -> Double {
    let expected = "a number from \(range.lowerBound.plainText) to \(range.upperBound.plainText)"
    let number = try number(expected)
    guard range ~= number else { throw wrong(expected) }
    return number
  }

  /// Numbers in a list of that length.
  package func numbers(count: Int) throws(FileError) -> [Double] {
    try items(count...count, of: "numbers").map { (item) throws(FileError) in try item.number() }
  }

  /// A whole number in a range.
  package func integer(_ range: ClosedRange<Int>) throws(FileError) -> Int {
    guard case .number(let number)? = value, let integer = Int(exactly: number), range ~= integer
    else { throw wrong("a whole number from \(range.lowerBound) to \(range.upperBound)") }
    return integer
  }

  /// True or false; false where the key is not there.
  package func flag() throws(FileError) -> Bool {
    guard let value else { return false }
    guard case .bool(let flag) = value else { throw wrong("true or false") }
    return flag
  }

  /// One of the values of an enumeration.
  package func choice<Choice: RawRepresentable & CaseIterable>(
    _ type: Choice.Type
  ) throws(FileError) -> Choice where Choice.RawValue == String {
    guard case .string(let text)? = value, let choice = Choice(rawValue: text) else {
      throw wrong("one of " + Choice.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return choice
  }
}
