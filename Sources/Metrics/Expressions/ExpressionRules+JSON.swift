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

  let file: RuleFile

  init(source: String) {
    file = RuleFile(source: source)
  }

  func rules(in value: JSONValue) throws(RecordError) -> [ExpressionRule] {
    let entries = try file.entries(
      of: value, schema: "facegauge.expressions", key: "rules", atMost: Self.maxRules)
    var rules: [ExpressionRule] = []
    for (index, entry) in entries.enumerated() {
      let rule = try rule(entry, at: "rules[\(index)]")
      if let earlier = rules.firstIndex(where: { $0.name == rule.name }) {
        throw file.wrong(
          "rules[\(index)].name", "each name once", "the name of rules[\(earlier)] again")
      }
      rules.append(rule)
    }
    return rules
  }

  private func rule(_ entry: JSONValue, at position: String) throws(RecordError) -> ExpressionRule {
    let members = try file.object(
      entry, at: position, required: ["name", "value"], optional: ["above", "at_most", "labels"])
    guard case .string(let name)? = members["name"],
      name.wholeMatch(of: /[A-Za-z0-9_\-]{1,40}/) != nil
    else {
      throw file.wrong(
        "\(position).name", "1 to 40 letters, digits, '_' or '-'", members["name"])
    }
    guard case .string(let text)? = members["value"] else {
      throw file.wrong("\(position).value", "a formula", members["value"])
    }
    let formula: ExpressionFormula
    do {
      formula = try ExpressionFormula(parsing: text)
    } catch {
      throw file.wrong(
        "\(position).value", error.expected, "\(error.found) at character \(error.character)")
    }
    guard members["above"] == nil || members["at_most"] == nil else {
      throw file.wrong(position, "one of \"above\" and \"at_most\"", "both")
    }
    let side: ExpressionRule.Side = members["at_most"] == nil ? .above : .atMost
    let threshold =
      try file.number(side.rawValue, of: members, at: position) ?? ExpressionRule.usualThreshold
    return ExpressionRule(
      name, formula, threshold: threshold, side: side, words: try words(members["labels"], position)
    )
  }

  private func words(_ value: JSONValue?, _ position: String) throws(RecordError) -> [String]? {
    guard let value else { return nil }
    guard case .array(let elements) = value, !elements.isEmpty else {
      throw file.wrong("\(position).labels", "a list of words", value)
    }
    var words: [String] = []
    for (index, element) in elements.enumerated() {
      guard case .string(let word) = element, !word.isEmpty else {
        throw file.wrong("\(position).labels[\(index)]", "a word", element)
      }
      words.append(word)
    }
    return words
  }
}
