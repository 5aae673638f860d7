package import Records

/// What a figure is called and means; every measurement takes name, stage, unit and direction from it.
package struct MetricDefinition: Sendable, Hashable {
  /// Dotted name; `<stage>` in it stands for the name of a stage, `<expression>` for that of a rule.
  package let name: String
  /// Heading for people.
  package let title: String
  /// The stage that the figure judges; `<stage>` where the name has it.
  package let stage: String
  /// The unit, such as `ms`, or `1` for a plain ratio.
  package let unit: String
  /// Which way the figure improves.
  package let direction: Direction
  /// The best value there is; set exactly where `direction` is `closest`.
  package var target: Double? = nil
  /// How it is computed, its range, and when it is undefined.
  package let formula: String
  /// Where the definition comes from.
  package let source: String
  /// The values that it can take.
  package private(set) var range = MetricRange.atLeastZero

  /// The same definition with another range than 0 or more.
  func within(_ range: MetricRange) -> MetricDefinition {
    var definition = self
    definition.range = range
    return definition
  }

  /// The same definition for one stage: the name goes where `<stage>` stands.
  package func at(stage name: String) -> MetricDefinition {
    stage == Self.anyStage ? named(name, stage: name) : self
  }

  /// The same definition for one expression: the name goes where `<expression>` stands.
  package func at(expression name: String) -> MetricDefinition {
    self.name.contains(Self.anyExpression) ? named(name, stage: stage) : self
  }

  private func named(_ name: String, stage: String) -> MetricDefinition {
    let (head, tail) = parts
    return MetricDefinition(
      name: tail.map { head + name + $0 } ?? self.name,
      title: title.replacing(Self.anyExpression, with: name).replacing(Self.anyStage, with: name),
      stage: stage, unit: unit, direction: direction, target: target, formula: formula,
      source: source
    ).within(range)
  }

  /// Whether a measurement of that name follows this definition.
  package func covers(_ measurement: String) -> Bool {
    let (head, tail) = parts
    guard let tail else { return measurement == name }
    return measurement.hasPrefix(head) && measurement.hasSuffix(tail)
      && measurement.utf8.count > head.utf8.count + tail.utf8.count
  }

  /// A measurement with a value, in the definition's unit.
  package func measurement(_ value: Double, n: Int) -> Measurement {
    Measurement(
      name: name, title: title, stage: stage, value: value, unit: unit, better: direction,
      target: target, n: n)
  }

  /// A measurement without a value, and why; `needs` is the n that would support one.
  package func undefined(_ reason: String, needs: Int? = nil, n: Int) -> Measurement {
    Measurement(
      name: name, title: title, stage: stage, value: nil, reason: reason, needs: needs, unit: unit,
      better: direction, target: target, n: n, interval: .none("the figure is undefined"))
  }

  static let anyStage = "<stage>"
  static let anyExpression = "<expression>"

  private var parts: (head: String, tail: String?) {
    guard
      let range = name.firstRange(of: Self.anyStage) ?? name.firstRange(of: Self.anyExpression)
    else { return (name, nil) }
    return (String(name[..<range.lowerBound]), String(name[range.upperBound...]))
  }
}
