package import Platform

extension ExpressionRules {
  /// Reads `{"schema":"facegauge.expressions","version":1,"rules":[…]}`; every doubt throws.
  ///
  /// A rule has `name`, `value` (a formula), one of `above` and `at_most` (0.3 above where neither is
  /// there) and `labels`, the words of labels that mean it. `source` names the file in messages.
  package init(json: [UInt8], source: String) throws(FileError) {
    let root = try JSONNode(
      json, source: source, header: JSONHeader("facegauge.expressions", version: 1),
      keys: ["rules"])
    var rules: [ExpressionRule] = []
    for entry in try root["rules"].items(1...Self.maxRules, of: "rules") {
      let rule = try ExpressionRule(entry)
      if let earlier = rules.firstIndex(where: { $0.name == rule.name }) {
        throw entry["name"].wrong("each name once", found: "the name of rules[\(earlier)] again")
      }
      rules.append(rule)
    }
    self.init(rules)
  }

  private static let maxRules = 100
}

extension ExpressionRule {
  fileprivate init(_ entry: JSONNode) throws(FileError) {
    try entry.requireKeys(["name", "value"], optional: ["above", "at_most", "labels"])
    let characters = "1 to 40 letters, digits, '_' or '-'"
    let name = try entry["name"].text(characters)
    guard name.wholeMatch(of: /[A-Za-z0-9_\-]{1,40}/) != nil else {
      throw entry["name"].wrong(characters)
    }
    let text = try entry["value"].text("a formula")
    let formula: ExpressionFormula
    do {
      formula = try ExpressionFormula(parsing: text)
    } catch {
      throw entry["value"].wrong(
        error.expected, found: "\(error.found) at character \(error.character)")
    }
    guard !entry["above"].isGiven || !entry["at_most"].isGiven else {
      throw entry.wrong("one of \"above\" and \"at_most\"", found: "both")
    }
    let side: ExpressionRule.Side = entry["at_most"].isGiven ? .atMost : .above
    self.init(
      name, formula, threshold: try entry[side.rawValue].given?.number() ?? Self.usualThreshold,
      side: side, words: try entry["labels"].given?.texts("words"))
  }
}
