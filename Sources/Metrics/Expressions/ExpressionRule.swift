internal import FaceCore

/// When a face has an expression: a formula over its blendshapes against a threshold.
package struct ExpressionRule: Sendable, Hashable {
  /// Which side of the threshold is active.
  package enum Side: String, Sendable {
    /// Active where the value exceeds the threshold.
    case above
    /// Active where the value is the threshold or less.
    case atMost = "at_most"
  }

  /// What the expression is called; part of the names of its metrics.
  package let name: String
  /// The value that is compared.
  package let formula: ExpressionFormula
  /// What it is compared with.
  package let threshold: Double
  /// Which side is active.
  package let side: Side
  /// The words by which labels and votes mean this expression, in lower case.
  package let words: Set<String>

  /// Makes a rule; labels mean it by its name unless other words are given.
  package init(
    _ name: String, _ formula: ExpressionFormula, threshold: Double = Self.usualThreshold,
    side: Side = .above, words: [String]? = nil
  ) {
    self.name = name
    self.formula = formula
    self.threshold = threshold
    self.side = side
    self.words = Set((words ?? [name]).map { $0.lowercased() })
  }

  /// The threshold where none is given.
  package static let usualThreshold = 0.3

  /// How far the value lies on the active side; nil where it has none.
  func margin(in coefficients: [Float]) -> Double? {
    formula.value(of: coefficients).map {
      side == .above ? $0 - threshold : threshold - $0
    }
  }

  /// Whether a margin is active: on the threshold only for `at_most`.
  func isActive(_ margin: Double) -> Bool { side == .above ? margin > 0 : margin >= 0 }
}

/// Expressions that a face may have, several at once; a face without any is neutral.
package struct ExpressionRules: Sendable, Hashable {
  /// The rules, each name once.
  package let rules: [ExpressionRule]

  /// Keeps the first rule of each name.
  package init(_ rules: [ExpressionRule]) {
    var names: Set<String> = []
    self.rules = rules.filter { names.insert($0.name).inserted }
  }

  /// The same rules with other thresholds, by name; rules that are not named keep theirs.
  package func with(thresholds: [String: Double]) -> ExpressionRules {
    ExpressionRules(
      rules.map { rule in
        ExpressionRule(
          rule.name, rule.formula, threshold: thresholds[rule.name] ?? rule.threshold,
          side: rule.side, words: Array(rule.words))
      })
  }

  /// The name of no expression.
  package static let neutral = "neutral"

  /// Happy, sad and angry on either side of the face, and neutral without any coefficient above 0.3.
  package static let builtIn = ExpressionRules([
    ExpressionRule(
      "happy", .call(.max, [.coefficient(.mouthSmileLeft), .coefficient(.mouthSmileRight)]),
      words: ["happy", "happiness"]),
    ExpressionRule(
      "sad", .call(.max, [.coefficient(.mouthFrownLeft), .coefficient(.mouthFrownRight)]),
      words: ["sad", "sadness"]),
    ExpressionRule(
      "angry", .call(.max, [.coefficient(.browDownLeft), .coefficient(.browDownRight)]),
      words: ["angry", "anger"]),
    ExpressionRule(neutral, .strongest, side: .atMost),
  ])

  /// The names of the rules, and neutral even where no rule is for it.
  package var names: [String] {
    let names = rules.map(\.name)
    return names.contains(Self.neutral) ? names : names + [Self.neutral]
  }

  /// The words by which labels mean each of `names`.
  package var words: [Set<String>] {
    names.map { name in rules.first { $0.name == name }?.words ?? [Self.neutral] }
  }

  /// The result of the rules for one face.
  package struct Reading: Sendable, Hashable {
    /// How far each of the names is on the active side; nil where a coefficient is not given.
    package var scores: [Double?]
    /// Whether each of the names is active; nil where that is not known.
    package var isActive: [Bool?]
  }

  /// Scores 52 coefficients by every rule; neutral is active also where nothing else is.
  package func reading(of coefficients: [Float]) -> Reading {
    var scores: [Double?] = []
    var active: [Bool?] = []
    for rule in rules {
      let margin = rule.margin(in: coefficients)
      scores.append(margin)
      active.append(margin.map(rule.isActive))
    }
    let others = rules.indices.filter { rules[$0].name != Self.neutral }
    let margins = others.map { scores[$0] }
    if !rules.contains(where: { $0.name == Self.neutral }) {
      let known = margins.compactMap { $0 }
      scores.append(known.count == margins.count ? known.max().map { -$0 } : nil)
      active.append(nil)
    }
    if let position = names.firstIndex(of: Self.neutral), active[position] != true {
      let isAny = others.contains { active[$0] == true }
      let areKnown = others.allSatisfy { active[$0] != nil }
      active[position] = isAny ? false : areKnown ? true : nil
    }
    return Reading(scores: scores, isActive: active)
  }

  /// The names that are active, in their order; neutral where nothing else is.
  package func active(in coefficients: [Float]) -> [String] {
    zip(names, reading(of: coefficients).isActive).filter { $0.1 == true }.map(\.0)
  }
}
