internal import Platform

/// The text of a gate and its result, in the unit of its metric.
struct GateWords {
  private let gate: Gate
  /// What follows a metric, such as ` ms`.
  private let unit: String

  /// Words for a gate on a metric of that unit.
  init(_ gate: Gate, unit: String) {
    self.gate = gate
    self.unit = Measurement.unitSuffix(unit)
  }

  /// The metric and its slice.
  var subject: String { gate.slice.map { "\(gate.metric) in \($0)" } ?? gate.metric }

  /// `the limit of at least 0.9 and at most 0.01 worse than the base`: all that the gate asks.
  var bound: String { "the limit of \(gate.condition(unit: unit))" }

  /// `the limit of at least 0.9`.
  var limit: String { "the limit of \(gate.limitText(unit: unit) ?? "nothing")" }

  /// `the limit of at most 0.01 worse than the base`.
  var change: String { "the limit of \(gate.changeText(unit: unit) ?? "nothing")" }

  /// A value with as many digits as it takes to tell it from a limit.
  func text(of value: Double, apartFrom limit: Double? = nil) -> String {
    guard let limit else { return value.shortText() + unit }
    guard value != limit else { return value.plainText + unit }
    let digits = (3...12).first {
      value.text(significantDigits: $0) != limit.text(significantDigits: $0)
    }
    return (digits.map { value.shortText(significantDigits: $0) } ?? value.plainText) + unit
  }

  /// A computed number with all digits but those of rounding.
  func exactText(of value: Double) -> String {
    value.shortText(significantDigits: 12) + unit
  }

  /// ` (95 % interval 0.93 to 0.97)`.
  func span(_ interval: Interval?, of what: String = "") -> String {
    guard let interval, let text = interval.text({ $0.shortText() }) else { return "" }
    let level = (interval.level * 100).shortText(significantDigits: 4)
    return " (\(level) % interval\(what) \(text))"
  }

  /// ` without an interval (why)`.
  func without(_ interval: Interval?, of what: String = "") -> String {
    " without an interval\(what) (\(interval?.reason ?? "none was computed"))"
  }
}

extension Gate {
  /// What the gate asks, such as `at least 0.9 and at most 0.01 and 5 % worse than the base`.
  package func condition(unit: String = "") -> String {
    [limitText(unit: unit), changeText(unit: unit)].compactMap { $0 }.joined(separator: " and ")
  }

  fileprivate func limitText(unit: String) -> String? {
    limit.map { "\(direction.words) \($0.plainText)\(unit)" }
  }

  fileprivate func changeText(unit: String) -> String? {
    let allowances = [
      maxWorsening.map { $0.plainText + unit },
      maxRelativeWorsening.map { ($0 * 100).shortText(significantDigits: 6) + " %" },
    ].compactMap { $0 }
    return allowances.isEmpty
      ? nil : "at most \(allowances.joined(separator: " and ")) worse than the base"
  }
}

extension Gate.Side {
  /// `at least` or `at most`.
  package var words: String { self == .atLeast ? "at least" : "at most" }
}
