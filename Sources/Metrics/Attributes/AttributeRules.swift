package import Records

/// How labelled numbers of faces are compared with predicted ones.
package struct AttributeRules: Sendable, Hashable {
  /// The comparisons, each name once.
  package let rules: [AttributeRule]
  /// Whether they follow from the names that both sides share.
  package let areShared: Bool

  /// Keeps the first rule of each name.
  package init(_ rules: [AttributeRule]) {
    var names: Set<String> = []
    self.rules = rules.filter { names.insert($0.name).inserted }
    areShared = false
  }

  /// Compares attributes of the same name as numbers, the first hundred by name.
  package init(labels: some Sequence<String>, predictions: some Sequence<String>) {
    rules = Set(labels).intersection(predictions).sorted().prefix(Self.maxRules)
      .map { AttributeRule($0) }
    areShared = true
  }

  /// Compares nothing.
  package static let none = AttributeRules([])

  /// How many rules a file may have, and how many attributes are compared without one.
  package static let maxRules = 100

  /// The names of the comparisons.
  package var names: [String] { rules.map(\.name) }

  /// The attributes that are read of one side.
  package func columns(of side: KeyPath<AttributeRule, AttributeRule.Side>) -> [String] {
    var known: Set<String> = []
    return rules.flatMap { $0[keyPath: side].columns.map(\.name) }.filter {
      known.insert($0).inserted
    }
  }
}

extension AttributeRules {
  /// Reads `{"schema":"facegauge.attributes","version":1,"attributes":[…]}`; every doubt throws.
  ///
  /// A rule has `name`, `as` (a kind, number if it is not there), `label` and `prediction` (attributes, those of the
  /// name if they are not there; a minus before one changes its sign), and what its kind needs. `source` names the
  /// file in messages.
  package init(json: [UInt8], source: String) throws(RecordError) {
    let reader = AttributeRulesReader(file: RuleFile(source: source))
    self.init(try reader.rules(in: JSONValue(bytes: json, source: source)))
  }
}

private struct AttributeRulesReader {
  let file: RuleFile

  private static let optional = [
    "as", "label", "prediction", "scale", "offset", "label_above", "label_at_most",
    "prediction_above", "prediction_at_most", "label_unit", "prediction_unit", "unknown",
  ]

  func rules(in value: JSONValue) throws(RecordError) -> [AttributeRule] {
    let entries = try file.entries(
      of: value, schema: "facegauge.attributes", key: "attributes", atMost: AttributeRules.maxRules)
    var rules: [AttributeRule] = []
    for (index, entry) in entries.enumerated() {
      let rule = try rule(entry, at: "attributes[\(index)]")
      if let earlier = rules.firstIndex(where: { $0.name == rule.name }) {
        throw file.wrong(
          "attributes[\(index)].name", "each name once", "the name of attributes[\(earlier)] again")
      }
      rules.append(rule)
    }
    return rules
  }

  private func rule(
    _ entry: JSONValue, at position: String
  ) throws(RecordError) -> AttributeRule {
    let members = try file.object(
      entry, at: position, required: ["name"], optional: Self.optional)
    guard case .string(let name)? = members["name"],
      name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_.\-]{0,59}/) != nil
    else {
      throw file.wrong(
        "\(position).name", "1 to 60 letters, digits, '_', '-' or '.'", members["name"])
    }
    var kind = AttributeRule.Kind.number
    if let given = members["as"] {
      guard case .string(let text) = given, let known = AttributeRule.Kind(rawValue: text) else {
        throw file.wrong(
          "\(position).as",
          "one of " + AttributeRule.Kind.allCases.map(\.rawValue).joined(separator: ", "), given)
      }
      kind = known
    }
    try refuse(Self.keys(not: kind), in: members, of: kind, at: position)
    var rule = AttributeRule(name, kind: kind)
    rule.label = try side("label", of: rule, members, at: position)
    rule.prediction = try side("prediction", of: rule, members, at: position)
    rule.scale = try file.number("scale", of: members, at: position) ?? 1
    rule.offset = try file.number("offset", of: members, at: position) ?? 0
    guard rule.scale != 0 else {
      throw file.wrong("\(position).scale", "a number other than 0", "0")
    }
    rule.unknown = try unknown(members["unknown"], at: position)
    return rule
  }

  /// The keys that mean nothing for a kind.
  private static func keys(not kind: AttributeRule.Kind) -> [String] {
    let scales = ["scale", "offset"]
    let thresholds = ["label_above", "label_at_most", "prediction_above", "prediction_at_most"]
    let units = ["label_unit", "prediction_unit"]
    return switch kind {
    case .number: thresholds + units
    case .binary: scales + units
    case .angle, .direction: scales + thresholds
    }
  }

  private func refuse(
    _ keys: [String], in members: [String: JSONValue], of kind: AttributeRule.Kind,
    at position: String
  ) throws(RecordError) {
    guard let key = keys.first(where: { members[$0] != nil }) else { return }
    throw file.wrong(
      "\(position).\(key)", "no such key for kind \"\(kind.rawValue)\"", members[key])
  }

  private func side(
    _ key: String, of rule: AttributeRule, _ members: [String: JSONValue], at position: String
  ) throws(RecordError) -> AttributeRule.Side {
    var side = AttributeRule.Side([rule.name])
    let isDirection = rule.kind == .direction
    switch members[key] {
    case nil where !isDirection: break
    case .string(let name)? where !isDirection:
      side.columns = [try column(name, at: "\(position).\(key)")]
    case .array(let names)? where isDirection && (2...3).contains(names.count):
      side.columns = []
      for (index, name) in names.enumerated() {
        guard case .string(let text) = name else {
          throw file.wrong("\(position).\(key)[\(index)]", "the name of an attribute", name)
        }
        side.columns.append(try column(text, at: "\(position).\(key)[\(index)]"))
      }
    case let found:
      throw file.wrong(
        "\(position).\(key)",
        isDirection
          ? "a list of yaw and pitch, or of x, y and z, by the names of attributes"
          : "the name of an attribute", found)
    }
    if rule.kind == .binary {
      let above = try file.number("\(key)_above", of: members, at: position)
      let atMost = try file.number("\(key)_at_most", of: members, at: position)
      guard let threshold = above ?? atMost, above == nil || atMost == nil else {
        throw file.wrong(
          position, "one of \"\(key)_above\" and \"\(key)_at_most\"",
          above == nil ? "none" : "both")
      }
      side.threshold = threshold
      side.isAbove = above != nil
    }
    if let unit = members["\(key)_unit"] {
      guard case .string(let text) = unit, ["radians", "degrees"].contains(text) else {
        throw file.wrong("\(position).\(key)_unit", "\"radians\" or \"degrees\"", unit)
      }
      side.isInDegrees = text == "degrees"
    }
    return side
  }

  private func column(
    _ text: String, at position: String
  ) throws(RecordError) -> AttributeRule.Side.Column {
    let isNegated = text.hasPrefix("-")
    let name = isNegated ? String(text.dropFirst()) : text
    guard !name.isEmpty else {
      throw file.wrong(position, "the name of an attribute", .string(text))
    }
    return AttributeRule.Side.Column(name: name, isNegated: isNegated)
  }

  private func unknown(
    _ value: JSONValue?, at position: String
  ) throws(RecordError) -> [Double] {
    guard let value else { return [] }
    guard case .array(let elements) = value else {
      throw file.wrong("\(position).unknown", "a list of numbers", value)
    }
    var numbers: [Double] = []
    for (index, element) in elements.enumerated() {
      guard case .number(let number) = element else {
        throw file.wrong("\(position).unknown[\(index)]", "a number", element)
      }
      numbers.append(number)
    }
    return numbers
  }
}
