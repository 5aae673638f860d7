internal import FaceCore
package import Platform
internal import Records

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

  /// Compares attributes of the same name as numbers, the first hundred by name; `yaw`, `pitch` and `roll` also with
  /// `headYaw`, `headPitch` and `headRoll`, of each run by the name that it has.
  package init(labels: some Sequence<String>, predictions: some Sequence<String>) {
    let (labels, predictions) = (Set(labels), Set(predictions))
    var rules = labels.intersection(predictions).map { AttributeRule($0) }
    for names in FaceLabel.headAngleNames {
      let (own, given) = (names.filter(labels.contains), names.filter(predictions.contains))
      guard let first = given.first, own.count == 1, given != own else { continue }
      let name = given.contains(own[0]) ? own[0] : first
      var rule = AttributeRule(own[0])
      rule.prediction = AttributeRule.Side([name])
      rule.prediction.columns[0].otherName = given.first { $0 != name }
      rules.removeAll { $0.name == rule.name }
      rules.append(rule)
    }
    self.rules = Array(rules.sorted { $0.name < $1.name }.prefix(Self.maxRules))
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
    let columns = rules.flatMap { $0[keyPath: side].columns }
    return columns.flatMap { [$0.name, $0.otherName].compactMap(\.self) }.uniqued
  }
}

extension AttributeRules {
  /// Reads `{"schema":"facegauge.attributes","version":1,"attributes":[…]}`; every doubt throws.
  ///
  /// A rule has `name`, `as` (a kind, number if it is not there), `label` and `prediction` (attributes, those of the
  /// name if they are not there; a minus before one changes its sign), and what its kind needs. `source` names the
  /// file in messages.
  package init(json: [UInt8], source: String) throws(FileError) {
    let root = try JSONNode(
      json, source: source, header: JSONHeader("facegauge.attributes", version: 1),
      keys: ["attributes"])
    var rules: [AttributeRule] = []
    for entry in try root["attributes"].items(1...Self.maxRules, of: "rules") {
      let rule = try AttributeRule(entry)
      if let earlier = rules.firstIndex(where: { $0.name == rule.name }) {
        throw entry["name"].wrong(
          "each name once", found: "the name of attributes[\(earlier)] again")
      }
      rules.append(rule)
    }
    self.init(rules)
  }
}

extension AttributeRule {
  private static let optionalKeys = [
    "as", "label", "prediction", "scale", "offset", "label_above", "label_at_most",
    "prediction_above", "prediction_at_most", "label_unit", "prediction_unit", "unknown",
  ]

  fileprivate init(_ entry: JSONNode) throws(FileError) {
    try entry.requireKeys(["name"], optional: Self.optionalKeys)
    let characters = "1 to 60 letters, digits, '_', '-' or '.'"
    let name = try entry["name"].text(characters)
    guard name.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9_.\-]{0,59}/) != nil else {
      throw entry["name"].wrong(characters)
    }
    self.init(name, kind: try entry["as"].given?.choice(Kind.self) ?? .number)
    if let key = Self.keys(not: kind).first(where: { entry[$0].isGiven }) {
      throw entry[key].wrong("no such key for kind \"\(kind.rawValue)\"")
    }
    label = try side("label", of: entry)
    prediction = try side("prediction", of: entry)
    scale = try entry["scale"].given?.number() ?? 1
    offset = try entry["offset"].given?.number() ?? 0
    guard scale != 0 else { throw entry["scale"].wrong("a number other than 0") }
    unknown = try (entry["unknown"].given?.items(of: "numbers") ?? [])
      .map { (item) throws(FileError) in try item.number() }
  }

  /// The keys that mean nothing for a kind.
  private static func keys(not kind: Kind) -> [String] {
    let scales = ["scale", "offset"]
    let thresholds = ["label_above", "label_at_most", "prediction_above", "prediction_at_most"]
    let units = ["label_unit", "prediction_unit"]
    return switch kind {
    case .number: thresholds + units
    case .binary: scales + units
    case .angle, .direction: scales + thresholds
    }
  }

  private func side(_ key: String, of entry: JSONNode) throws(FileError) -> Side {
    var side = Side([name])
    if kind == .direction {
      let names = try entry[key].items(
        2...3, of: "names of attributes, for yaw and pitch or for x, y and z")
      side.columns = try names.map { (name) throws(FileError) in try Side.Column(name) }
    } else if let name = entry[key].given {
      side.columns = [try Side.Column(name)]
    }
    if kind == .binary {
      let above = try entry["\(key)_above"].given?.number()
      let atMost = try entry["\(key)_at_most"].given?.number()
      guard let threshold = above ?? atMost, above == nil || atMost == nil else {
        throw entry.wrong(
          "one of \"\(key)_above\" and \"\(key)_at_most\"", found: above == nil ? "none" : "both")
      }
      side.threshold = threshold
      side.isAbove = above != nil
    }
    if let unit = entry["\(key)_unit"].given {
      side.isInDegrees = try unit.choice(AngleUnit.self) == .degrees
    }
    return side
  }

  private enum AngleUnit: String, CaseIterable { case radians, degrees }
}

extension AttributeRule.Side.Column {
  fileprivate init(_ node: JSONNode) throws(FileError) {
    let text = try node.text("the name of an attribute")
    let isNegated = text.hasPrefix("-")
    let name = isNegated ? String(text.dropFirst()) : text
    guard !name.isEmpty else { throw node.wrong("the name of an attribute") }
    self.init(name: name, isNegated: isNegated)
  }
}
