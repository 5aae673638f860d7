import Foundation
internal import Platform

/// Any JSON, for checks that must name what was found.
package enum JSONValue: Decodable {
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

  /// Reads a value of any kind.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// Reads a whole file; the error names the first character that is not JSON.
  package init(bytes: [UInt8], source: String) throws(RecordError) {
    do {
      self = try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
    } catch {
      throw RecordError(
        operation: .read, source: source, position: "", expected: "JSON",
        found: JSONValue.problem(in: bytes))
    }
  }

  /// Why the bytes are not JSON, and in which line.
  private static func problem(in bytes: [UInt8]) -> String {
    let newline = UInt8(ascii: "\n")
    guard !bytes.allSatisfy({ $0 <= UInt8(ascii: " ") }) else { return "an empty file" }
    do {
      _ = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
      return "a number beyond the range of numbers"
    } catch {
      let details = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String ?? ""
      if details.contains("end of file") {
        return
          "the end of the file in line \(bytes.count { $0 == newline } + 1) before its value ends"
      }
      if details.contains("not representable") { return "a number beyond the range of numbers" }
      if details.contains("nested") { return "lists or objects nested too deeply" }
      let position = details.split { !$0.isNumber }.last.flatMap { Int($0) }
      let line = position.map { bytes.prefix($0).count { $0 == newline } + 1 }
      return "a syntax error" + (line.map { " in line \($0)" } ?? "")
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

  /// The value at a coding path, or nil where the path leaves the file.
  func value(at path: some Sequence<any CodingKey>) -> JSONValue? {
    var value = self
    for key in path {
      switch value {
      case .object(let members):
        guard let member = members[key.stringValue] else { return nil }
        value = member
      case .array(let elements):
        guard let index = key.intValue, elements.indices.contains(index) else { return nil }
        value = elements[index]
      default: return nil
      }
    }
    return value
  }
}
