package import Records

/// What a metric is called and means; every measurement takes name, stage, unit and direction from it.
package struct MetricDefinition: Sendable, Hashable {
  /// Dotted name; `<stage>` in it stands for the name of a stage, `<expression>` and `<attribute>` for that of a rule.
  package private(set) var name: String
  /// Heading for people.
  package private(set) var title: String
  /// The stage that the metric evaluates; `<stage>` where the name has it.
  package private(set) var stage: String
  /// The unit, such as `ms`, or `1` for a plain ratio.
  package private(set) var unit: String
  /// Which way the metric improves.
  package let direction: Direction
  /// The best value there is; set exactly where `direction` is `closest`.
  package let target: Double?
  /// How it is computed, its range, and when it is undefined.
  package let formula: String
  /// Where the definition comes from.
  package let source: String
  /// The values that it can take.
  package let range: MetricRange
  /// The name and the title around what stands for a stage or an expression.
  private var namePattern, titlePattern: Pattern

  /// Defines a metric of a stage, of the one that its name begins with where it is nil.
  ///
  /// `target` is set exactly where `direction` is `closest`.
  init(
    _ name: String, _ title: String, _ direction: Direction, in range: MetricRange = .atLeastZero,
    target: Double? = nil, unit: String = "1", stage: String? = nil, _ formula: String,
    source: String
  ) {
    self.name = name
    self.title = title
    self.stage = stage ?? String(name.prefix { $0 != "." })
    self.unit = unit
    self.direction = direction
    self.range = range
    self.target = target
    self.formula = formula
    self.source = source
    namePattern = Pattern(name)
    titlePattern = Pattern(title)
  }

  /// The same definition for one stage: the name goes where `<stage>` stands, and `words` or the name into the title.
  package func at(stage name: String, words: String? = nil) -> MetricDefinition {
    placeholder == Self.anyStage ? named(name, stage: name, words: words) : self
  }

  /// The same definition for one expression: the name goes where `<expression>` stands.
  package func at(expression name: String) -> MetricDefinition {
    placeholder == Self.anyExpression ? named(name, stage: stage) : self
  }

  /// The same definition of a number in radians.
  var inRadians: MetricDefinition {
    var definition = self
    definition.unit = "rad"
    return definition
  }

  /// The same definition for one attribute: the name goes where `<attribute>` stands.
  package func at(attribute name: String) -> MetricDefinition {
    placeholder == Self.anyAttribute ? named(name, stage: stage) : self
  }

  private func named(_ name: String, stage: String, words: String? = nil) -> MetricDefinition {
    var definition = self
    definition.name = namePattern.filled(with: name)
    definition.title = titlePattern.filled(with: words ?? name)
    definition.stage = stage
    definition.namePattern = Pattern(without: definition.name)
    definition.titlePattern = Pattern(without: definition.title)
    return definition
  }

  /// What stands in the name for that of a stage, an expression or an attribute; nil for a name without it.
  private var placeholder: String? { namePattern.placeholder }

  /// Whether the name has a placeholder for that of an attribute.
  package var isOfAttribute: Bool { placeholder == Self.anyAttribute }

  /// Whether the name has a placeholder for that of a stage, an expression or an attribute.
  var isPattern: Bool { placeholder != nil }

  /// Whether a measurement of that name follows this definition.
  package func covers(_ measurement: String) -> Bool {
    guard let tail = namePattern.tail else { return measurement == name }
    let head = namePattern.head
    return measurement.hasPrefix(head) && measurement.hasSuffix(tail)
      && measurement.utf8.count > head.utf8.count + tail.utf8.count
  }

  /// A measurement with a value, in the definition's unit.
  package func measurement(_ value: Double, n: Int) -> Measurement {
    Measurement(
      name: name, title: title, stage: stage, value: value, unit: unit, better: direction,
      target: target, n: n)
  }

  /// A measurement with a value, or without one and why; `needs` is the n that would support one.
  func measurement(
    _ value: Double?, n: Int, needs: Int? = nil, else reason: @autoclosure () -> String
  ) -> Measurement {
    value.map { measurement($0, n: n) } ?? undefined(reason(), needs: needs, n: n)
  }

  /// A part over a whole, undefined for a whole of 0; n is the whole unless it is stated.
  func ratio(
    _ part: Double, of whole: Int, n: Int? = nil, else reason: @autoclosure () -> String
  ) -> Measurement {
    measurement(whole == 0 ? nil : part / Double(whole), n: n ?? whole, else: reason())
  }

  /// The same of a count.
  func ratio(
    _ part: Int, of whole: Int, n: Int? = nil, else reason: @autoclosure () -> String
  ) -> Measurement {
    ratio(Double(part), of: whole, n: n, else: reason())
  }

  /// A measurement without a value, and why; `needs` is the n that would support one.
  package func undefined(_ reason: String, needs: Int? = nil, n: Int) -> Measurement {
    Measurement(
      name: name, title: title, stage: stage, value: nil, reason: reason, needs: needs, unit: unit,
      better: direction, target: target, n: n, interval: .none("the metric is undefined"))
  }

  static let anyStage = "<stage>"
  static let anyExpression = "<expression>"
  static let anyAttribute = "<attribute>"

  /// A text with at most one placeholder for a name.
  private struct Pattern: Sendable, Hashable {
    let head: String
    /// The placeholder; nil where there is none.
    let placeholder: String?
    /// What follows the placeholder; nil where there is none.
    let tail: String?

    init(_ text: String) {
      // Definitions are made anew in some draws; most have no placeholder.
      let known = [
        MetricDefinition.anyStage, MetricDefinition.anyExpression, MetricDefinition.anyAttribute,
      ]
      let found = text.utf8.contains(UInt8(ascii: "<")) ? known.first { text.contains($0) } : nil
      guard let found, let position = text.firstRange(of: found) else {
        self.init(without: text)
        return
      }
      self.init(
        head: String(text[..<position.lowerBound]), placeholder: found,
        tail: String(text[position.upperBound...]))
    }

    private init(head: String, placeholder: String?, tail: String?) {
      (self.head, self.placeholder, self.tail) = (head, placeholder, tail)
    }

    /// A text that does not apply.
    init(without text: String) { self.init(head: text, placeholder: nil, tail: nil) }

    func filled(with name: String) -> String { tail.map { head + name + $0 } ?? head }
  }
}

extension MetricDefinition {
  /// The same metric over found faces alone, for when misses leave this one undefined.
  package var conditional: MetricDefinition {
    MetricDefinition(
      name + ".conditional", title + " of found faces", direction, in: range, target: target,
      unit: unit, stage: stage, "as \(name), over the found faces alone", source: source)
  }

  /// The metric, undefined where a labelled face was missed, and the same over found faces.
  func metrics(
    _ value: Double?, n: Int, missed: Int, else reason: String, needs: Int? = nil
  ) -> [Measurement] {
    func own(_ definition: MetricDefinition) -> Measurement {
      definition.measurement(value, n: n, needs: needs, else: reason)
    }
    guard missed > 0 else { return [own(self), own(conditional)] }
    return [
      undefined(
        "\(missed) of \(n + missed) labelled faces have no such prediction; \(name).conditional is of "
          + "the others", n: n + missed), own(conditional),
    ]
  }
}
