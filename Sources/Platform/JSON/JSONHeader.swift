/// The schema and the version that a JSON file of ours states.
package struct JSONHeader: Sendable, Hashable {
  /// The schema's name, such as `facegauge.record`.
  package let schema: String
  /// The version that is read.
  package let version: Int

  /// Names a schema and its version.
  package init(_ schema: String, version: Int) {
    (self.schema, self.version) = (schema, version)
  }

  /// Reads a whole file, or a line of one, and keeps nothing of it.
  ///
  /// Throws for what is not JSON, for a key that an object has twice, and for another schema or version. `format` is
  /// the key of `schema` in files of before.
  package func check(
    _ bytes: [UInt8], source: String, line: Int? = nil
  ) throws(FileError) {
    var json = JSONText(bytes, name: source, line: line)
    func wrong(_ position: String, _ expected: String, _ found: JSONValue?) -> FileError {
      FileError(json.place, at: position, expected: expected, found: found?.summary ?? "nothing")
    }
    guard try json.kind() == .object else {
      throw wrong(
        "", "an object with the schema \"\(schema)\"",
        try JSONValue(&json))
    }
    var found: [String: JSONValue] = [:]
    try json.members { (json, key) throws(FileError) in
      if ["schema", "format", "version"].contains(key) {
        found[key] = try JSONValue(&json)
      } else {
        try json.skip()
      }
    }
    try json.finish()
    let stated = found["schema"] ?? found["format"]
    guard stated == .string(schema) else { throw wrong("schema", "\"\(schema)\"", stated) }
    guard found["version"] == .number(Double(version)) else {
      throw wrong("version", "\(version)", found["version"])
    }
  }
}
