package import Foundation

/// A reader of the keywords that our JSON Schemas use.
package final class Schema {
  private let root: [String: Any]
  /// Properties, as `definition.key`, that no file has shown yet.
  package var unseen: Set<String> = []

  /// The folder of the published schemas.
  package static let folder = Checkout.root.appending(path: "Sources/Packaging/Schemas")

  /// Reads the published schema of a name; throws where it is no JSON object.
  package init(_ name: String) throws {
    let file = Self.folder.appending(path: "\(name).schema.json")
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    guard let root = json as? [String: Any] else { throw CocoaError(.propertyListReadCorrupt) }
    self.root = root
  }

  /// What of a JSON file breaks the published schema that it names; empty where nothing does.
  package static func problems(ofFile json: some Sequence<UInt8>) throws -> [String] {
    let file = try JSONSerialization.jsonObject(with: Data(json))
    guard let stated = (file as? [String: Any])?["schema"] as? String else {
      return ["the file names no schema"]
    }
    return try Schema(stated.replacing("facegauge.", with: "")).problems(in: file)
  }

  /// What of a JSON text that a command printed breaks the schema that it states, or the definition of what it prints.
  package static func problems(ofPrinted json: String, by definition: String) throws -> [String] {
    let value = try JSONSerialization.jsonObject(with: Data(json.utf8))
    return (value as? [String: Any])?["schema"] == nil
      ? problems(in: value, by: "printed", definition, at: "") : try problems(ofFile: json.utf8)
  }

  private static func problems(
    in value: Any, by schema: String, _ definition: String, at position: String
  ) -> [String] {
    guard let schema = try? Schema(schema), let rules = schema.definitions[definition] else {
      return ["\(position): \(schema) has no definition \(definition)"]
    }
    return schema.problems(in: value, by: rules, definition: definition, at: position)
  }

  private var definitions: [String: [String: Any]] {
    root["$defs"] as? [String: [String: Any]] ?? [:]
  }

  /// Every property of every definition, as `definition.key`.
  package var propertyPaths: [String] {
    definitions.flatMap { name, definition in
      (definition["properties"] as? [String: Any] ?? [:]).keys.map { "\(name).\($0)" }
    }
  }

  /// What of a value, as Foundation reads JSON, breaks the schema; empty where nothing does.
  package func problems(in value: Any) -> [String] {
    problems(in: value, by: root, definition: "", at: "")
  }

  private func problems(
    in value: Any, by rules: Any, definition: String, at position: String
  ) -> [String] {
    guard let schema = rules as? [String: Any] else {
      return rules as? Bool == true ? [] : ["\(position) may not be there"]
    }
    if let reference = schema["$ref"] as? String {
      if let other = reference.wholeMatch(of: /urn:facegauge:([a-z\d-]+):\d+#\/\$defs\/(\w+)/) {
        return Self.problems(in: value, by: String(other.1), String(other.2), at: position)
      }
      let name = String(reference.dropFirst("#/$defs/".count))
      guard let target = definitions[name] else { return ["\(position): no definition \(name)"] }
      return problems(in: value, by: target, definition: name, at: position)
    }
    var found: [String] = []
    let types = (schema["type"] as? [String]) ?? (schema["type"] as? String).map { [$0] } ?? []
    if !types.isEmpty, !types.contains(where: { isA($0, value) }) {
      found.append("\(position) is not \(types)")
    }
    if let constant = schema["const"] as? NSObject,
      constant != value as? NSObject || isTruthValue(constant) != isTruthValue(value)
    {
      found.append("\(position) is not \(constant)")
    }
    if let allowed = schema["enum"] as? [NSObject],
      !allowed.contains(where: { $0 == value as? NSObject })
    {
      found.append("\(position) is none of \(allowed)")
    }
    for (keyword, allowed) in [("oneOf", 1...1), ("anyOf", 1...Int.max), ("not", 0...0)] {
      guard let given = schema[keyword] else { continue }
      let matches = (given as? [Any] ?? [given]).count {
        problems(in: value, by: $0, definition: definition, at: position).isEmpty
      }
      if !allowed.contains(matches) { found.append("\(position) matches \(matches) of \(keyword)") }
    }
    for part in schema["allOf"] as? [Any] ?? [] {
      found += problems(in: value, by: part, definition: definition, at: position)
    }
    found += limits(of: value).filter { isBroken($0, of: schema) }.map {
      "\(position): \($0.number) is beyond \($0.lower) or \($0.upper)"
    }
    if let pattern = schema["pattern"] as? String, let text = value as? String,
      text.range(of: pattern, options: .regularExpression) == nil
    {
      found.append("\(position) is not like \(pattern)")
    }
    if let members = value as? [String: Any] {
      found += problems(inMembers: members, by: schema, definition: definition, at: position)
    }
    if let elements = value as? [Any], let items = schema["items"] as? [String: Any] {
      for (index, element) in elements.enumerated() {
        found += problems(
          in: element, by: items, definition: definition, at: "\(position)[\(index)]")
      }
    }
    return found
  }

  private func problems(
    inMembers members: [String: Any], by schema: [String: Any], definition: String,
    at position: String
  ) -> [String] {
    let properties = schema["properties"] as? [String: Any] ?? [:]
    let patterns = schema["patternProperties"] as? [String: Any] ?? [:]
    var found: [String] = []
    if let names = schema["propertyNames"] {
      found += members.keys.flatMap {
        problems(in: $0, by: names, definition: definition, at: "\(position), the key \($0)")
      }
    }
    let required = schema["required"] as? [String] ?? []
    found += required.filter { members[$0] == nil }.map { "\(position) lacks \($0)" }
    for (key, others) in schema["dependentRequired"] as? [String: [String]] ?? [:]
    where members[key] != nil {
      found += others.filter { members[$0] == nil }.map { "\(position) lacks \($0)" }
    }
    for (key, member) in members {
      unseen.remove("\(definition).\(key)")
      let inner = position.isEmpty ? key : "\(position).\(key)"
      let pattern = patterns.first { key.range(of: $0.key, options: .regularExpression) != nil }
      if let property = properties[key] ?? pattern?.value {
        found += problems(in: member, by: property, definition: definition, at: inner)
      } else if schema["additionalProperties"] as? Bool == false {
        found.append("\(position) has the unknown key \(key)")
      } else if let other = schema["additionalProperties"] as? [String: Any] {
        found += problems(in: member, by: other, definition: definition, at: inner)
      }
    }
    return found
  }

  /// A number of a value, and the keywords that limit it.
  private typealias Limit = (number: Double, lower: String, upper: String)

  private func limits(of value: Any) -> [Limit] {
    switch value {
    case let text as String: [(Double(text.count), "minLength", "maxLength")]
    case let items as [Any]: [(Double(items.count), "minItems", "maxItems")]
    case let members as [String: Any]: [(Double(members.count), "minProperties", "maxProperties")]
    case let number as Double where !isTruthValue(value): [(number, "minimum", "maximum")]
    default: []
    }
  }

  private func isBroken(_ limit: Limit, of schema: [String: Any]) -> Bool {
    func bound(_ keyword: String) -> Double? { schema[keyword] as? Double }
    let isBeyond =
      limit.number < bound(limit.lower) ?? -.infinity
      || limit.number > bound(limit.upper) ?? .infinity
    guard limit.lower == "minimum" else { return isBeyond }
    return isBeyond || limit.number <= bound("exclusiveMinimum") ?? -.infinity
      || limit.number >= bound("exclusiveMaximum") ?? .infinity
  }

  private func isA(_ type: String, _ value: Any) -> Bool {
    switch type {
    case "null": value is NSNull
    case "string": value is String
    case "number": value is NSNumber && !isTruthValue(value)
    case "integer": (value as? NSNumber).map { $0.doubleValue.rounded() == $0.doubleValue } ?? false
    case "boolean": isTruthValue(value)
    case "array": value is [Any]
    case "object": value is [String: Any]
    default: false
    }
  }

  /// Whether it is true or false, which Foundation takes for the numbers 1 and 0.
  private func isTruthValue(_ value: Any) -> Bool {
    (value as? NSNumber).map { String(cString: $0.objCType) == "c" } ?? false
  }
}
