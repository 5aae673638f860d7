internal import Platform
package import Records

extension ExpressionRules {
  /// Reads `{"schema":"facegauge.expressions","version":1,"rules":[…]}`; every doubt throws.
  ///
  /// A rule has `name`, `value` (a formula), one of `above` and `at_most` (0.3 above where neither is
  /// there) and `labels`, the words of labels that mean it. `source` names the file in messages.
  package init(json: [UInt8], source: String) throws(RecordError) {
    let reader = RulesReader(source: source)
    self.init(try reader.rules(in: JSONValue(bytes: json, source: source)))
  }
}

private struct RulesReader {
  static let maxRules = 100

  let source: String

  func rules(in file: JSONValue) throws(RecordError) -> [ExpressionRule] {
    let members = try object(file, at: "", required: ["schema", "version", "rules"])
    guard case .string("facegauge.expressions")? = members["schema"] else {
      throw wrong("schema", "\"facegauge.expressions\"", members["schema"])
    }
    guard case .number(1)? = members["version"] else {
      throw wrong("version", "1", members["version"])
    }
    guard case .array(let entries)? = members["rules"], !entries.isEmpty else {
      throw wrong("rules", "a list with a rule or more", members["rules"])
    }
    guard entries.count <= Self.maxRules else {
      throw wrong("rules", "\(Self.maxRules) rules at most", "\(entries.count)")
    }
    var rules: [ExpressionRule] = []
    for (index, entry) in entries.enumerated() {
      let rule = try rule(entry, at: "rules[\(index)]")
      if let earlier = rules.firstIndex(where: { $0.name == rule.name }) {
        throw wrong(
          "rules[\(index)].name", "each name once", "the name of rules[\(earlier)] again")
      }
      rules.append(rule)
    }
    return rules
  }

  private func rule(_ entry: JSONValue, at position: String) throws(RecordError) -> ExpressionRule {
    let members = try object(
      entry, at: position, required: ["name", "value"], optional: ["above", "at_most", "labels"])
    guard case .string(let name)? = members["name"],
      name.wholeMatch(of: /[A-Za-z0-9_\-]{1,40}/) != nil
    else {
      throw wrong(
        "\(position).name", "1 to 40 letters, digits, '_' or '-'", members["name"])
    }
    guard case .string(let text)? = members["value"] else {
      throw wrong("\(position).value", "a formula", members["value"])
    }
    let formula: ExpressionFormula
    do {
      formula = try ExpressionFormula(parsing: text)
    } catch {
      throw wrong(
        "\(position).value", error.expected, "\(error.found) at character \(error.character)")
    }
    guard members["above"] == nil || members["at_most"] == nil else {
      throw wrong(position, "one of \"above\" and \"at_most\"", "both")
    }
    let side: ExpressionRule.Side = members["at_most"] == nil ? .above : .atMost
    var threshold = ExpressionRule.usualThreshold
    if let given = members[side.rawValue] {
      guard case .number(let number) = given, number.isFinite else {
        throw wrong("\(position).\(side.rawValue)", "a finite number", given)
      }
      threshold = number
    }
    return ExpressionRule(
      name, formula, threshold: threshold, side: side, words: try words(members["labels"], position)
    )
  }

  private func words(_ value: JSONValue?, _ position: String) throws(RecordError) -> [String]? {
    guard let value else { return nil }
    guard case .array(let elements) = value, !elements.isEmpty else {
      throw wrong("\(position).labels", "a list of words", value)
    }
    var words: [String] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let word) = element, !word.isEmpty else {
        throw wrong("\(position).labels[\(index)]", "a word", element)
      }
      words.append(word)
    }
    return words
  }

  private func object(
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

  private func wrong(_ position: String, _ expected: String, _ found: JSONValue?) -> RecordError {
    wrong(position, expected, found?.summary ?? "nothing")
  }

  private func wrong(_ position: String, _ expected: String, _ found: String) -> RecordError {
    RecordError(
      operation: .read, source: source, position: position, expected: expected, found: found)
  }
}
