internal import Foundation
internal import Platform

/// A result that has a JSON file of its own, with a schema and a version.
package protocol ResultDocument: Codable, Sendable {
  /// The name of the schema, such as `facegauge.comparison`.
  static var schemaName: String { get }
  /// The version that is written and read.
  static var schemaVersion: Int { get }
  /// The name of the file in its folder.
  static var fileName: String { get }
  /// What messages call it, such as `a comparison`.
  static var noun: String { get }
  /// The schema that a file names.
  var schema: String { get }
  /// The version that a file names.
  var version: Int { get }
  /// The first rule that the types cannot express and the result breaks, or nil.
  var firstProblem: Record.Problem? { get }
}

extension ResultDocument {
  package var firstProblem: Record.Problem? { nil }

  /// Reads the bytes of a file of this schema and version; `source` names it in messages.
  package init(json: [UInt8], source: String) throws(RecordError) {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(json))
    } catch {
      throw try RecordError(decoding: Self.noun, error, json: json, source: source)
    }
    guard schema == Self.schemaName, version == Self.schemaVersion else {
      throw RecordError(
        operation: .read, source: source, position: "schema",
        expected: "\"\(Self.schemaName)\" version \(Self.schemaVersion)",
        found: "\"\(schema)\" version \(version)")
    }
    if let problem = firstProblem {
      throw RecordError(
        operation: .read, source: source, position: problem.position, expected: problem.expected,
        found: problem.found)
    }
  }

  /// The bytes of the file: sorted keys, the same bytes for equal results.
  package func json() throws -> [UInt8] {
    try JSONEncoder.document.bytes(of: self)
  }
}

/// The kinds of result that have a file of their own in a folder.
package enum ResultDocuments {
  /// Every kind.
  package static let types: [any ResultDocument.Type] = [
    Comparison.self, Ranking.self, Leakage.self,
  ]
}
