/// Any JSON, for readers that must name what was found.
package enum JSONValue: Sendable, Equatable {
  /// Nothing.
  case null
  /// True or false.
  case bool(Bool)
  /// Any finite number.
  case number(Double)
  /// Text.
  case string(String)
  /// A list.
  case array([JSONValue])
  /// Members by key.
  case object([String: JSONValue])

  /// Reads the next value of a text.
  init(_ json: inout JSONText) throws(FileError) {
    switch try json.kind() {
    case .object:
      var members: [String: JSONValue] = [:]
      try json.members { (json, key) throws(FileError) in members[key] = try JSONValue(&json) }
      self = .object(members)
    case .array:
      var elements: [JSONValue] = []
      try json.elements { (json) throws(FileError) in elements.append(try JSONValue(&json)) }
      self = .array(elements)
    case .text: self = .string(try json.text())
    case .number: self = .number(try json.number())
    case .flag: self = .bool(try json.flag())
    case .null:
      _ = try json.null()
      self = .null
    }
  }

  /// What it is, for the end of a sentence that begins with "found".
  package var summary: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): value.plainText
    case .string(let value): "\"\(value.prefix(60))\(value.count > 60 ? "…" : "")\""
    case .array(let values): values.isEmpty ? "an empty list" : "a list"
    case .object: "an object"
    }
  }
}
