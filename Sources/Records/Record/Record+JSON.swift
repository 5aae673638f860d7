import Foundation
import Platform

extension Record {
  /// The name that `schema` must hold.
  package static let schemaName = "facegauge.record"
  /// The version that this library writes and reads.
  package static let schemaVersion = 3

  /// The bytes of `record.json`: sorted keys, the same bytes for equal records.
  ///
  /// Throws where a number is not finite or the record breaks its own rules; `source` names the
  /// file in messages.
  package func json(source: String = "record.json") throws(RecordError) -> [UInt8] {
    if let problem = firstProblem {
      throw RecordError(
        operation: .write, source: source, position: problem.position, expected: problem.expected,
        found: problem.found)
    }
    do {
      return try JSONEncoder.document.bytes(of: self)
    } catch EncodingError.invalidValue(let value, let context) {
      throw RecordError(
        operation: .write, source: source, position: context.codingPath.pathText,
        expected: "a finite number", found: "\(value)")
    } catch {
      throw RecordError(
        operation: .write, source: source, position: "", expected: "a record", found: "\(error)")
    }
  }

  /// Reads the bytes of a `record.json` of this schema and version; `source` names it in messages.
  package init(json: [UInt8], source: String = "record.json") throws(RecordError) {
    let data = Data(json)
    guard let header = try? JSONDecoder().decode(Header.self, from: data) else {
      throw RecordError(
        operation: .read, source: source, position: "",
        expected: "an object with the schema \"\(Record.schemaName)\"",
        found: try JSONValue(bytes: json, source: source).summary)
    }
    guard case .string(Record.schemaName)? = header.schema else {
      throw RecordError(
        operation: .read, source: source, position: "schema", expected: "\"\(Record.schemaName)\"",
        found: header.schema?.summary ?? "nothing")
    }
    guard case .number(Double(Record.schemaVersion))? = header.version else {
      throw RecordError(
        operation: .read, source: source, position: "version", expected: "\(Record.schemaVersion)",
        found: header.version?.summary ?? "nothing")
    }
    do {
      self = try JSONDecoder().decode(Record.self, from: data)
    } catch {
      throw try RecordError(decoding: "a record", error, json: json, source: source)
    }
    if let problem = firstProblem {
      throw RecordError(
        operation: .read, source: source, position: problem.position, expected: problem.expected,
        found: problem.found)
    }
  }

  private struct Header: Decodable {
    var schema: JSONValue?
    var version: JSONValue?
  }
}

extension RecordError {
  /// Describes where decoding JSON as something failed, and what is there instead.
  package init(
    decoding noun: String, _ error: any Error, json: [UInt8], source: String
  ) throws(RecordError) {
    self.init(operation: .read, source: source, position: "", expected: noun, found: "\(error)")
    guard let error = error as? DecodingError else { return }
    let file = try JSONValue(bytes: json, source: source)
    switch error {
    case .keyNotFound(let key, let context):
      position = context.codingPath.pathText
      expected = "the key \"\(key.stringValue)\""
      found = "none"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      position = context.codingPath.pathText
      expected = RecordError.words(for: type)
      found = file.value(at: context.codingPath)?.summary ?? "nothing"
    case .dataCorrupted(let context):
      position = context.codingPath.pathText
      // Foundation leaves the path empty where a number does not fit its type.
      let isNumber = context.codingPath.isEmpty
      expected = isNumber ? "whole numbers for counts" : "a value of the schema"
      found =
        isNumber
        ? "one with decimals or out of range"
        : file.value(at: context.codingPath)?.summary ?? context.debugDescription
    @unknown default: break
    }
  }

  private static func words(for type: any Any.Type) -> String {
    switch type {
    case is Double.Type: "a number"
    case is Int.Type: "a whole number"
    case is String.Type: "a string"
    case is [Any].Type: "a list"
    default: "an object"
    }
  }
}

extension Sequence<any CodingKey> {
  /// Keys joined by dots, positions in brackets, such as `series[2].content.edges`.
  fileprivate var pathText: String {
    reduce(into: "") { position, key in
      if let index = key.intValue {
        position += "[\(index)]"
      } else {
        position += (position.isEmpty ? "" : ".") + key.stringValue
      }
    }
  }
}
