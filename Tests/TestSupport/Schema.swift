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
    in value: Any, by schema: [String: Any], definition: String, at position: String
  ) -> [String] {
    if let reference = schema["$ref"] as? String {
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
    for keyword in ["oneOf", "anyOf"] {
      guard let branches = schema[keyword] as? [[String: Any]] else { continue }
      let matches = branches.count {
        problems(in: value, by: $0, definition: definition, at: position).isEmpty
      }
      if matches < 1 || keyword == "oneOf" && matches > 1 {
        found.append("\(position) matches \(matches) of \(keyword)")
      }
    }
    if let minimum = schema["minimum"] as? Double, let number = value as? Double, number < minimum {
      found.append("\(position) is below \(minimum)")
    }
    if let minimum = schema["minLength"] as? Int, let text = value as? String,
      text.count < minimum
    {
      found.append("\(position) is shorter than \(minimum)")
    }
    if let minimum = schema["minItems"] as? Int, let items = value as? [Any],
      items.count < minimum
    {
      found.append("\(position) has fewer than \(minimum)")
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
    let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
    var found: [String] = []
    let required = schema["required"] as? [String] ?? []
    found += required.filter { members[$0] == nil }.map { "\(position) lacks \($0)" }
    for (key, others) in schema["dependentRequired"] as? [String: [String]] ?? [:]
    where members[key] != nil {
      found += others.filter { members[$0] == nil }.map { "\(position) lacks \($0)" }
    }
    for (key, member) in members {
      unseen.remove("\(definition).\(key)")
      let inner = position.isEmpty ? key : "\(position).\(key)"
      if let property = properties[key] {
        found += problems(in: member, by: property, definition: definition, at: inner)
      } else if schema["additionalProperties"] as? Bool == false {
        found.append("\(position) has the unknown key \(key)")
      } else if let other = schema["additionalProperties"] as? [String: Any] {
        found += problems(in: member, by: other, definition: definition, at: inner)
      }
    }
    return found
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
