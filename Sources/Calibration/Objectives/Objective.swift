internal import Platform
package import Records

/// What a setting should reach: one metric as high or as low as can be, others within limits.
///
/// Written `max f1`, `max recall where fp_per_minute <= 2` or
/// `min nme where tracked_share >= 0.98 with 95 % and detector_rate <= 0.1`.
package struct Objective: Sendable, Hashable, CustomStringConvertible {
  /// How a metric and its bound are compared.
  package enum Relation: String, Sendable, CaseIterable {
    case atMost = "<="
    case atLeast = ">="
    case below = "<"
    case above = ">"

    /// Whether a value is on the right side.
    func holds(_ value: Double, _ bound: Double) -> Bool {
      switch self {
      case .atMost: value <= bound
      case .atLeast: value >= bound
      case .below: value < bound
      case .above: value > bound
      }
    }

    /// The side on which the bound is met.
    package var side: Direction { self == .atLeast || self == .above ? .higher : .lower }
  }

  /// A metric that must stay on one side of a number.
  package struct Limit: Sendable, Hashable, CustomStringConvertible {
    /// The metric's name.
    package var metric: String
    /// The side.
    package var relation: Relation
    /// The number, in the metric's unit.
    package var bound: Double
    /// How sure it must be that the metric keeps to that side, in (0.5, 1); nil asks this data alone.
    package var confidence: Double?

    /// As it is written.
    package var description: String {
      "\(metric) \(relation.rawValue) \(Objective.text(bound))"
        + (confidence.map { " with \(($0 * 100).shortText(significantDigits: 6)) %" } ?? "")
    }
  }

  /// Whether the metric is to be high or low.
  package var better: Direction
  /// The name of the metric to optimise.
  package var metric: String
  /// What must hold too; a metric that is undefined meets no limit.
  package var limits: [Limit]
  /// The value that the metric is best at, where it has one: `min` asks for the smallest distance from it.
  package var target: Double?

  /// As it is written.
  package var description: String {
    let goal = "\(better == .higher ? "max" : "min") \(metric)"
    return limits.isEmpty
      ? goal : goal + " where " + limits.map(\.description).joined(separator: " and ")
  }

  /// Whether a limit asks for a confidence.
  package var isGuarded: Bool { limits.contains { $0.confidence != nil } }

  /// The same without confidences: what is best on this data alone.
  package var unguarded: Objective {
    var plain = self
    for index in plain.limits.indices { plain.limits[index].confidence = nil }
    return plain
  }

  /// The limits that some metrics break, confidences aside; one that is undefined meets none.
  package func brokenLimits(_ value: (_ metric: String) -> Double?) -> [Limit] {
    limits.filter { limit in
      value(limit.metric).map { !limit.relation.holds($0, limit.bound) } ?? true
    }
  }

  /// Warnings of upper limits that all settings keep by a factor of ten, as those in another unit do.
  package func remoteLimits(in columns: [String: [Double?]]) -> [String] {
    limits.compactMap { limit in
      let values = (columns[limit.metric] ?? []).compactMap { $0 }
      guard limit.relation.side == .lower, let most = values.max(), most > 0,
        limit.bound >= 10 * most
      else { return nil }
      return "\(limit) decides nothing: the nearest of \(values.count) settings has "
        + most.shortText()
    }
  }

  /// The names of the metrics: the goal's, then each limit's.
  package var names: [String] { [metric] + limits.map(\.metric) }

  /// A whole number without a fraction.
  static func text(_ number: Double) -> String {
    number == number.rounded() && abs(number) < 1e15 ? "\(Int(number))" : "\(number)"
  }
}

extension Objective {
  /// Throws the first metric that it names and that is not there.
  package func checkMetrics(among known: [String]) throws(CalibrationError) {
    for name in names where !known.contains(name) {
      throw .unknownMetric(name, among: known)
    }
  }

  /// Throws for a goal that is the worst of its metric; `own` is the way in which the metric improves.
  package func checkDirection(_ own: Direction?) throws(CalibrationError) {
    guard let own, own.isDirected, (own == .higher) != (better == .higher) else { return }
    throw .wrongDirection(self, own)
  }

  /// Whether it names a metric that falls with the faces that are found, and so weighs them itself.
  var weighsFoundFaces: Bool {
    names.contains { name in
      switch ThresholdMetric(named: name) {
      case .recall, .missRate, .fBeta: true
      default: Sweep.foundFaces.contains(name)
      }
    }
  }

  /// How a limit is added that keeps a metric nearly as high as a value.
  func hint(toKeep name: String, at value: Double) -> String {
    let bound = ((value * 100).rounded(.down) / 100).plainText
    return "write '\(limits.isEmpty ? "where" : "and") \(name) >= \(bound)' after it"
  }

  /// The same with other names of metrics.
  package func renamed(_ name: (String) -> String) -> Objective {
    var objective = self
    objective.metric = name(metric)
    for index in limits.indices { objective.limits[index].metric = name(limits[index].metric) }
    return objective
  }
}

extension Objective {
  /// What an objective comes to among some settings.
  package enum Choice: Sendable, Hashable {
    /// The best setting's index, and its metric.
    case best(index: Int, value: Double)
    /// No setting will do, and why.
    case infeasible(String)
  }

  /// The share of a metric under which two settings count as equal; sums may be rounded so much.
  static let rounding = 1e-12

  /// By how much one value of the metric is better than another.
  func gain(of value: Double, over other: Double) -> Double {
    if let target { return abs(other - target) - abs(value - target) }
    return better == .higher ? value - other : other - value
  }

  /// The best of some settings, named by index; of equal ones the first that is named.
  ///
  /// `value` gives the metric at a position of `names` for a setting; nil or NaN where it is undefined. `bounds` are
  /// those of the limits, in their order; one with a confidence and without bounds is met by no setting.
  func choice(
    among settings: some Sequence<Int>, bounds: [LimitBounds?] = [],
    value: (_ position: Int, _ setting: Int) -> Double?
  ) -> Choice {
    func meets(_ index: Int, _ setting: Int) -> Bool {
      guard let found = value(index + 1, setting) else { return false }
      guard limits[index].confidence != nil else {
        return limits[index].relation.holds(found, limits[index].bound)
      }
      guard bounds.indices.contains(index), let bounds = bounds[index] else { return false }
      return bounds.keeps(found, at: setting)
    }
    var best: (index: Int, value: Double)?
    for setting in settings {
      let meetsAll = limits.indices.allSatisfy { meets($0, setting) }
      guard meetsAll, let found = value(0, setting), !found.isNaN else { continue }
      if let known = best {
        guard gain(of: found, over: known.value) > Self.rounding * max(abs(found), abs(known.value))
        else { continue }
      }
      best = (setting, found)
    }
    if let best { return .best(index: best.index, value: best.value) }
    return .infeasible(
      reason(among: Array(settings), bounds: bounds, meets: meets, value: value))
  }

  private func reason(
    among settings: [Int], bounds: [LimitBounds?],
    meets: (_ limit: Int, _ setting: Int) -> Bool,
    value: (_ position: Int, _ setting: Int) -> Double?
  ) -> String {
    let all = settings.count == 1 ? "1 setting" : "\(settings.count) settings"
    guard !settings.isEmpty else { return "there are no settings" }
    var meeting = settings
    for (index, limit) in limits.enumerated() {
      let known = settings.compactMap { value(index + 1, $0) }.filter { !$0.isNaN }
      guard let nearest = limit.relation.side == .higher ? known.max() : known.min() else {
        return "\(limit.metric) is undefined in all of \(all)"
      }
      guard settings.contains(where: { meets(index, $0) }) else {
        if limit.confidence == nil || !limit.relation.holds(nearest, limit.bound) {
          // A share is from 0 to 1: a larger bound is meant in per cent.
          let isPercent =
            limit.relation.side == .higher && (1.0...100).contains(limit.bound)
            && limit.bound > 1 && known.allSatisfy { (0...1).contains($0) }
          let hint =
            isPercent ? " (\(Self.text(limit.bound)) % is \((limit.bound / 100).shortText()))" : ""
          return "none of \(all) meets \(limit), the nearest has \(Self.text(nearest))\(hint)"
        }
        let own = bounds.indices.contains(index) ? bounds[index] : nil
        if let reason = own?.reason { return "\(limit) cannot be shown: \(reason)" }
        let known = settings.compactMap { setting in
          value(index + 1, setting).flatMap { own?.bound(of: $0, at: setting) }
        }
        let bound = limit.relation.side == .higher ? known.max() : known.min()
        return "none of \(all) keeps \(limit); the nearest bound is "
          + (bound.map { $0.shortText() } ?? "undefined")
      }
      meeting.removeAll { !meets(index, $0) }
    }
    guard !meeting.isEmpty else {
      return "each limit is met by some of \(all), but no setting meets all limits"
    }
    return "\(metric) is undefined in "
      + (limits.isEmpty ? "all of \(all)" : "each of the \(meeting.count) that meet the limits")
  }
}

extension Objective {
  /// Reads `max METRIC` or `min METRIC`, then perhaps `where METRIC <= NUMBER and …`.
  ///
  /// A number may be followed by `with 95 %`, the confidence with which the limit must hold. A name
  /// starts with a letter and has letters, digits and `. _ @ : -`. Throws one line with what was expected and where,
  /// also for over 1,000 characters.
  package init(parsing text: String) throws(CalibrationError) {
    let characters = Array(text.prefix(ObjectiveReader.lengthLimit + 1))
    var reader = ObjectiveReader(text: characters)
    guard characters.count <= ObjectiveReader.lengthLimit else {
      throw reader.wrong(
        "\(ObjectiveReader.lengthLimit) characters at most", found: "more",
        at: ObjectiveReader.lengthLimit)
    }
    self = try reader.objective()
  }
}

private struct ObjectiveReader {
  static let lengthLimit = 1000

  let text: [Character]
  var position = 0

  mutating func objective() throws(CalibrationError) -> Objective {
    let start = nextPosition()
    let goal = word()
    guard goal == "max" || goal == "min" else {
      throw wrong("'max' or 'min'", found: shown(goal), at: start)
    }
    var objective = Objective(
      better: goal == "max" ? .higher : .lower, metric: try metric(), limits: [])
    guard nextPosition() < text.count else { return objective }
    try keyword("where", or: "the end")
    objective.limits.append(try limit())
    while nextPosition() < text.count {
      let start = nextPosition()
      let found = word()
      if found == "with", let last = objective.limits.indices.last,
        objective.limits[last].confidence == nil
      {
        objective.limits[last].confidence = try confidence()
      } else if found == "and" {
        objective.limits.append(try limit())
      } else {
        throw wrong("'and', 'with 95 %' or the end", found: shown(found), at: start)
      }
    }
    return objective
  }

  private mutating func limit() throws(CalibrationError) -> Objective.Limit {
    let name = try metric()
    let start = nextPosition()
    let sign = String(text[start...].prefix { "<>=".contains($0) })
    guard let relation = Objective.Relation(rawValue: sign) else {
      throw wrong("<=, >=, < or >", found: sign.isEmpty ? nextShown : "'\(sign)'", at: start)
    }
    position += sign.count
    return Objective.Limit(metric: name, relation: relation, bound: try number())
  }

  /// Takes a percentage between 50 and 100, as a share.
  private mutating func confidence() throws(CalibrationError) -> Double {
    let start = nextPosition()
    let digits = String(text[start...].prefix { "0123456789.".contains($0) })
    position += digits.count
    guard let percent = Double(digits), percent > 50, percent < 100, nextPosition() < text.count,
      text[nextPosition()] == "%"
    else {
      throw wrong(
        "a confidence between 50 % and 100 %, such as 95 %",
        found: digits.isEmpty ? nextShown : quoted(digits), at: start)
    }
    position += 1
    return percent / 100
  }

  private mutating func metric() throws(CalibrationError) -> String {
    let start = nextPosition()
    let name = word()
    guard !name.isEmpty, !["max", "min", "where", "and", "with"].contains(name) else {
      throw wrong("the name of a metric", found: shown(name), at: start)
    }
    return name
  }

  private mutating func keyword(_ keyword: String, or other: String) throws(CalibrationError) {
    let start = nextPosition()
    let found = word()
    guard found == keyword else {
      throw wrong("'\(keyword)' or \(other)", found: shown(found), at: start)
    }
  }

  private mutating func number() throws(CalibrationError) -> Double {
    let start = nextPosition()
    let digits = String(text[start...].prefix { !$0.isWhitespace && !"<>=".contains($0) })
    guard digits.allSatisfy({ "0123456789.eE+-".contains($0) }), let number = Double(digits),
      number.isFinite
    else {
      throw wrong("a finite number", found: digits.isEmpty ? nextShown : quoted(digits), at: start)
    }
    position += digits.count
    return number
  }

  /// Takes a name or keyword; empty where there is none.
  private mutating func word() -> String {
    let start = nextPosition()
    guard start < text.count, Self.isLetter(text[start]) else { return "" }
    let word = text[start...].prefix {
      Self.isLetter($0) || $0.isASCII && $0.isNumber || "._@:-".contains($0)
    }
    position += word.count
    return String(word)
  }

  private static func isLetter(_ character: Character) -> Bool {
    character.isASCII && character.isLetter
  }

  /// Where the next character is that is no space.
  private mutating func nextPosition() -> Int {
    while position < text.count, text[position].isWhitespace { position += 1 }
    return position
  }

  private var nextShown: String { position < text.count ? "'\(text[position])'" : "the end" }

  private func shown(_ word: String) -> String { word.isEmpty ? nextShown : quoted(word) }

  private func quoted(_ word: String) -> String { "'\(word.prefix(60))'" }

  func wrong(_ expected: String, found: String, at position: Int) -> CalibrationError {
    .malformedObjective(expected: expected, found: found, character: position + 1)
  }
}
