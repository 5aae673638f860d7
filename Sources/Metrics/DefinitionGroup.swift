internal import Records

/// What the definitions of a family have in common; a call defines one metric.
struct DefinitionGroup: Sendable {
  /// What names begin with, such as `tracking.`.
  var prefix: String
  /// The stage; nil for the first word of the name.
  var stage: String?
  var direction = Direction.lower
  var range = MetricRange.atLeastZero
  var target: Double?
  var unit = "1"
  /// What formulas end with.
  var ending = ""
  var source: String

  /// Defines a metric; what is not stated is that of the group.
  func callAsFunction(
    _ name: String, _ title: String, _ direction: Direction, in range: MetricRange? = nil,
    target: Double? = nil, unit: String? = nil, _ formula: String, source: String? = nil
  ) -> MetricDefinition {
    MetricDefinition(
      prefix + name, title, direction, in: range ?? self.range, target: target ?? self.target,
      unit: unit ?? self.unit, stage: stage, formula + ending, source: source ?? self.source)
  }

  /// The same with the group's direction.
  func callAsFunction(
    _ name: String, _ title: String, in range: MetricRange? = nil, unit: String? = nil,
    _ formula: String, source: String? = nil
  ) -> MetricDefinition {
    self(name, title, direction, in: range, unit: unit, formula, source: source)
  }
}
