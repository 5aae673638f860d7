package import FacePipeline
internal import Metrics

/// A number that a sweep varies.
package enum SweepParameter: Sendable, Hashable {
  /// A setting of the pipeline, or of the same name for another tracker's faces.
  case setting(PipelineSetting)
  /// The threshold of a rule of expressions, by its name.
  case expression(String)

  /// What names of thresholds of expressions begin with.
  package static let expressionPrefix = "expression:"

  /// Name in options, records and code, such as `expression:happy`.
  package var name: String {
    switch self {
    case .setting(let setting): setting.name
    case .expression(let name): Self.expressionPrefix + name
    }
  }

  /// The unit; `1` for a plain number.
  package var unit: String { setting?.unit ?? "1" }

  /// The values that it may take; nil for any.
  package var range: ClosedRange<Double>? { setting?.range }

  /// The setting; nil for a threshold of an expression.
  package var setting: PipelineSetting? {
    if case .setting(let setting) = self { setting } else { nil }
  }

  /// The rule's name; nil for a setting.
  package var expression: String? {
    if case .expression(let name) = self { name } else { nil }
  }
}

/// The sets of rules of expressions that the settings of a sweep differ in.
struct SweptExpressions: Sendable {
  /// The expressions that have metrics: those with a swept threshold, and neutral, which depends on them.
  let names: [String]
  /// The sets, each once.
  let rules: [ExpressionRules]
  private let setOfSetting: [Int]

  /// Puts the thresholds of each setting into the rules; nil where no parameter is a threshold of an expression.
  init?(_ rules: ExpressionRules, parameters: [SweepParameter], settings: [[Double]]) {
    let swept = Set(parameters.compactMap(\.expression))
    guard !swept.isEmpty else { return nil }
    names = rules.names.filter { swept.contains($0) || $0 == ExpressionRules.neutral }
    var sets: [ExpressionRules] = []
    var positions: [ExpressionRules: Int] = [:]
    setOfSetting = settings.map { setting in
      var thresholds: [String: Double] = [:]
      for (parameter, value) in zip(parameters, setting) {
        if let name = parameter.expression { thresholds[name] = value }
      }
      let own = rules.with(thresholds: thresholds)
      if let position = positions[own] { return position }
      positions[own] = sets.count
      sets.append(own)
      return sets.count - 1
    }
    self.rules = sets
  }

  /// Those of some settings that have a set of rules.
  func settings(among settings: [Int], with rules: Int) -> [Int] {
    settings.filter { setOfSetting[$0] == rules }
  }
}
