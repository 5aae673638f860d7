/// Which way a figure improves.
public enum Direction: String, Sendable, Codable {
  /// More is better, as for recall.
  case higher
  /// Less is better, as for latency.
  case lower
  /// Nearer to the metric's target is better, as for a ratio of lengths, whose target is 1.
  case closest
  /// Neither way is better, as for a count that is a property of the data.
  case neither = "none"

  /// Whether a change has a better and a worse side.
  public var judges: Bool { self != .neither }

  /// The direction in a table: an arrow, the target behind an arrow, or a dash.
  public func symbol(target: Double?) -> String {
    switch self {
    case .higher: "↑"
    case .lower: "↓"
    case .closest: "→ " + (target.map(\.plainText) ?? "target")
    case .neither: "–"
    }
  }
}

/// The range that holds the true value with a stated probability, or the reason there is none.
public struct Interval: Sendable, Hashable, Codable {
  /// Lower bound in the measurement's unit; nil where there is no interval.
  @Nullable public var low: Double?
  /// Upper bound in the measurement's unit; nil where there is no interval.
  @Nullable public var high: Double?
  /// The stated probability, such as 0.95.
  public var level: Double
  /// How it was computed; nil where there is no interval.
  @Nullable public var method: String?
  /// Why there is none; nil where there is one.
  @Nullable public var reason: String?

  /// How the methods begin whose intervals need not hold the value: percentiles of resampled values that lean to a side.
  public static let percentileBootstrap = "percentile bootstrap"

  /// Whether the method promises that the value lies within the bounds.
  public var holdsItsValue: Bool {
    method.map { !$0.hasPrefix(Self.percentileBootstrap) } ?? false
  }

  /// Makes an interval that was computed by the named method.
  public init(low: Double, high: Double, level: Double = 0.95, method: String) {
    self.init(low: low, high: high, level: level, method: method, reason: nil)
  }

  private init(low: Double?, high: Double?, level: Double, method: String?, reason: String?) {
    self.low = low
    self.high = high
    self.level = level
    self.method = method
    self.reason = reason
  }

  /// An interval that was not computed, and why.
  public static func none(_ reason: String) -> Interval {
    Interval(low: nil, high: nil, level: 0.95, method: nil, reason: reason)
  }
}

/// One figure of a run, with everything that is needed to read it.
public struct Measurement: Sendable, Hashable, Codable {
  /// Dotted name in the catalogue, such as `detection.ap50`.
  public var name: String
  /// Heading for people, such as `Recall`.
  public var title: String
  /// The stage that it judges, such as `detection`.
  public var stage: String
  /// The figure; nil where it is undefined, never 0 instead.
  @Nullable public var value: Double?
  /// Why the value is undefined; nil where it is defined.
  @Nullable public var reason: String?
  /// The n that the figure would need; set only where n is too small to support it.
  @Nullable public var needs: Int?
  /// The unit, such as `ms`, or `1` for a plain ratio.
  public var unit: String
  /// Which way it improves.
  public var better: Direction
  /// The best value there is; set exactly where `better` is `closest`.
  public var target: Double?
  /// How many observations it rests on.
  public var n: Int
  /// The part of the dataset that it covers; nil means all of it.
  @Nullable public var slice: String?
  /// Its uncertainty.
  public var interval: Interval

  /// Makes a measurement; give a reason exactly when the value is nil. The title is the name if left out.
  public init(
    name: String, title: String? = nil, stage: String, value: Double?, reason: String? = nil,
    needs: Int? = nil,
    unit: String, better: Direction, target: Double? = nil, n: Int, slice: String? = nil,
    interval: Interval = .none("intervals are not computed for this figure")
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
