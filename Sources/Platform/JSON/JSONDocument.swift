package import Foundation

/// A value that has a JSON file of its own, with a schema and a version.
package protocol JSONDocument: Codable, Sendable {
  /// The name of the schema, such as `facegauge.comparison`.
  static var schemaName: String { get }
  /// The version that is written and read.
  static var schemaVersion: Int { get }
  /// The name of the file.
  static var fileName: String { get }
  /// What messages call it, such as `a comparison`.
  static var noun: String { get }
  /// The first rule that the types cannot express and the value breaks, or nil.
  var firstProblem: JSONProblem? { get }
}

/// A broken rule: where, what the rule wants, what is there.
package struct JSONProblem: Sendable, Hashable {
  /// Path inside the file, such as `gates[2].limit`; empty for the whole file.
  package var position: String
  /// What should have been there.
  package var expected: String
  /// What was there.
  package var found: String

  /// Describes a broken rule.
  package init(position: String, expected: String, found: String) {
    (self.position, self.expected, self.found) = (position, expected, found)
  }
}

extension JSONDocument {
  package var firstProblem: JSONProblem? { nil }

  /// Reads the bytes of a file of this schema and version; `source` names it in messages.
  package init(json: [UInt8], source: String = Self.fileName) throws(FileError) {
    try JSONHeader(Self.schemaName, version: Self.schemaVersion).check(json, source: source)
    self = try JSONDecoder().value(Self.self, from: json, source: source, noun: Self.noun)
    if let problem = firstProblem {
      throw FileError(
        source, at: problem.position, expected: problem.expected, found: problem.found)
    }
  }

  /// Reads a file of this schema and version.
  package init(file: URL) throws(FileError) {
    try self.init(json: try InputFile.bytes(of: file), source: file.relativePath)
  }

  /// The bytes of the file: sorted keys, the same bytes for equal values.
  ///
  /// Throws where a number is not finite or a rule is broken.
  package func json(source: String = Self.fileName) throws(FileError) -> [UInt8] {
    func wrong(_ position: String, _ expected: String, _ found: String) -> FileError {
      FileError(operation: "write", source, at: position, expected: expected, found: found)
    }
    if let problem = firstProblem { throw wrong(problem.position, problem.expected, problem.found) }
    do {
      return try JSONEncoder.document.bytes(of: self)
    } catch EncodingError.invalidValue(let value, let context) {
      throw wrong(context.codingPath.pathText, "a finite number", "\(value)")
    } catch {
      throw wrong("", Self.noun, "\(error)")
    }
  }
}
