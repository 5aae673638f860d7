internal import Platform
internal import Records

/// A JSON file of rules; every error names the file, the position, what was expected and what was found.
struct RuleFile {
  /// Name of the file in messages.
  let source: String

  /// The members of the list `key` in `{"schema": …, "version": 1, key: […]}`; throws for another schema or none.
  func entries(
    of file: JSONValue, schema: String, key: String, atMost limit: Int
  ) throws(RecordError) -> [JSONValue] {
    let members = try object(file, at: "", required: ["schema", "version", key])
    guard case .string(schema)? = members["schema"] else {
      throw wrong("schema", "\"\(schema)\"", members["schema"])
    }
    guard case .number(1)? = members["version"] else {
      throw wrong("version", "1", members["version"])
    }
    guard case .array(let entries)? = members[key], !entries.isEmpty else {
      throw wrong(key, "a list with a rule or more", members[key])
    }
    guard entries.count <= limit else {
      throw wrong(key, "\(limit) rules at most", "\(entries.count)")
    }
    return entries
  }

  /// The members of an object that has all required keys, and no others than those and the optional ones.
  func object(
    _ value: JSONValue, at position: String, required: [String], optional: [String] = []
  ) throws(RecordError) -> [String: JSONValue] {
    let known = required + optional
    guard case .object(let members) = value else {
      throw wrong(position, "an object with the keys \(known.joined(separator: ", "))", value)
    }
    if let unknown = members.keys.filter({ !known.contains($0) }).min() {
      throw wrong(
        position,
        "only the keys \(known.joined(separator: ", "))"
          + Suggestion.perhaps(unknown, among: known, quote: "\""),
        "the key \"\(unknown.prefix(60))\"")
    }
    if let missing = required.first(where: { members[$0] == nil }) {
      throw wrong(position, "the key \"\(missing)\"", "none")
    }
    return members
  }

  /// A finite number; nil where the key is not there.
  func number(
    _ key: String, of members: [String: JSONValue], at position: String
  ) throws(RecordError) -> Double? {
    guard let value = members[key] else { return nil }
    guard case .number(let number) = value, number.isFinite else {
      throw wrong("\(position).\(key)", "a finite number", value)
    }
    return number
  }

  func wrong(_ position: String, _ expected: String, _ found: JSONValue?) -> RecordError {
    wrong(position, expected, found?.summary ?? "nothing")
  }

  func wrong(_ position: String, _ expected: String, _ found: String) -> RecordError {
    RecordError(
      operation: .read, source: source, position: position, expected: expected, found: found)
  }
}
