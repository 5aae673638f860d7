package import Platform

/// Which way a metric improves.
package enum Direction: String, Sendable, Codable {
  /// More is better, as for recall.
  case higher
  /// Less is better, as for latency.
  case lower
  /// Nearer to the metric's target is better, as for a ratio of lengths, whose target is 1.
  case closest
  /// Neither way is better, as for a count that is a property of the data.
  case neither = "none"

  /// Whether a change has a better and a worse side.
  package var isDirected: Bool { self != .neither }

  /// The direction in a sentence, such as `higher is better`.
  package func phrase(target: Double?) -> String {
    switch self {
    case .higher, .lower: "\(rawValue) is better"
    case .closest: "nearest to \(target.map(\.plainText) ?? "the target") is best"
    case .neither: "neither way is better"
    }
  }

  /// The direction in a table: an arrow, an arrow with the target, or a dash.
  package func symbol(target: Double?) -> String {
    switch self {
    case .higher: "↑"
    case .lower: "↓"
    case .closest: "→ " + (target.map(\.plainText) ?? "target")
    case .neither: "–"
    }
  }
}

/// The range that holds the true value with a stated probability, or the reason there is none.
package struct Interval: Sendable, Hashable, Codable, Bounded {
  /// Lower bound in the measurement's unit; nil where there is no interval.
  @Nullable package var low: Double?
  /// Upper bound in the measurement's unit; nil where there is no interval.
  @Nullable package var high: Double?
  /// The stated probability, such as 0.95.
  package var level: Double
  /// How it was computed; nil where there is no interval.
  @Nullable package var method: String?
  /// Why there is none; nil where there is one.
  @Nullable package var reason: String?

  /// How the methods begin whose intervals need not hold the value: percentiles of skewed resampled values.
  package static let percentileBootstrap = "percentile bootstrap"

  /// Whether the method promises that the value lies within the bounds.
  package var holdsItsValue: Bool {
    method.map { !$0.hasPrefix(Self.percentileBootstrap) } ?? false
  }

  /// How the methods end whose intervals say nothing of other clips.
  package static let thisClipOnly = "this clip only"

  /// Whether it holds what varies within the dataset's one clip, and nothing else.
  package var isOfThisClip: Bool { method?.hasSuffix(Self.thisClipOnly) ?? false }

  /// What follows its ends in texts: `, this clip only`, or nothing.
  package var scopeText: String { isOfThisClip ? ", \(Self.thisClipOnly)" : "" }

  /// Both ends as text, and whether they are of one clip only; nil where there is none.
  package func text(_ number: (Double) -> String) -> String? {
    endsText(number).map { $0 + scopeText }
  }

  /// The same, named as one of the dataset's one clip.
  package var ofThisClip: Interval {
    guard let method, !isOfThisClip else { return self }
    var named = self
    named.method = "\(method), \(Self.thisClipOnly)"
    return named
  }
}

extension Interval {
  /// Makes an interval that was computed by the named method.
  package init(low: Double, high: Double, level: Double = 0.95, method: String) {
    self.init(low: low, high: high, level: level, method: method, reason: nil)
  }

  /// An interval that was not computed, and why.
  package static func none(_ reason: String) -> Interval {
    Interval(low: nil, high: nil, level: 0.95, method: nil, reason: reason)
  }

  /// What a metric has that no resample is made of.
  package static let notComputed = none("intervals are not computed for this metric")
}

/// One metric of a run, with everything that is needed to read it.
package struct Measurement: Sendable, Hashable, Codable {
  /// Dotted name in the catalogue, such as `detection.ap50`.
  package var name: String
  /// Heading for people, such as `Recall`.
  package var title: String
  /// The stage that it evaluates, such as `detection`.
  package var stage: String
  /// The metric; nil where it is undefined, never 0 instead.
  @Nullable package var value: Double?
  /// Why the value is undefined; nil where it is defined.
  @Nullable package var reason: String?
  /// The n that the metric would need; set only where n is too small to support it.
  @Nullable package var needs: Int?
  /// The unit, such as `ms`, or `1` for a plain ratio.
  package var unit: String
  /// Which way it improves.
  package var better: Direction
  /// The best value there is; set exactly where `better` is `closest`.
  package var target: Double?
  /// How many observations it rests on.
  package var n: Int
  /// The part of the dataset that it covers; nil means all of it.
  @Nullable package var slice: String?
  /// Its uncertainty.
  package var interval: Interval

  /// Makes a measurement; give a reason exactly when the value is nil. The title is the name if left out.
  package init(
    name: String, title: String? = nil, stage: String, value: Double?, reason: String? = nil,
    needs: Int? = nil, unit: String, better: Direction, target: Double? = nil, n: Int,
    slice: String? = nil, interval: Interval = .notComputed
  ) {
    self.name = name
    self.title = title ?? name
    self.stage = stage
    self.value = value
    self.reason = reason
    self.needs = needs
    self.unit = unit
    self.better = better
    self.target = target
    self.n = n
    self.slice = slice
    self.interval = interval
  }
}

extension Measurement {
  /// The value with its unit, such as `12.3 ms`; `–` where it is undefined.
  ///
  /// Rates such as `1/image` stand without their unit, which is in their title.
  package var valueText: String {
    guard let value, value.isFinite else { return "–" }
    return unit.hasPrefix("1/")
      ? value.text(significantDigits: 3) : Measurement.text(of: value, unit: unit)
  }

  /// What follows a metric of that unit: nothing for `1`, ` per image` for `1/image`, else ` ms`.
  package static func unitSuffix(_ unit: String) -> String {
    if unit == "1" { return "" }
    return unit.hasPrefix("1/") ? " per \(unit.dropFirst(2))" : " \(unit)"
  }

  /// A metric with its unit; plain ratios have three decimals and no unit.
  package static func text(of value: Double, unit: String) -> String {
    let suffix = unitSuffix(unit)
    if !["1", "ms"].contains(unit), value == value.rounded(), value.magnitude < 1e15 {
      return Int(value).groupedText + suffix
    }
    guard unit == "1" else { return value.text(significantDigits: 3) + suffix }
    return value.magnitude >= 1e-12 && value.magnitude < 0.01
      ? value.text(significantDigits: 3) : value.text(decimals: 3)
  }
}
