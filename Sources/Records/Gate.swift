/// What a measurement must keep: a limit, or a largest worsening against a base run, or both.
public struct Gate: Sendable, Hashable, Codable {
  /// Name of the measurement, such as `detection.recall`.
  public var metric: String
  /// The part of the dataset; nil means all of it.
  @Nullable public var slice: String?
  /// Which side of a limit passes, and so which way the figure gets worse.
  public var direction: Side
  /// The limit, in the measurement's unit; nil where only the change is limited.
  @Nullable public var limit: Double?
  /// How much worse than the base the value may be, 0 or more, in the measurement's unit.
  public var maxWorsening: Double?
  /// How much worse than the base the value may be, 0 or more, as a share of the base's magnitude.
  public var maxRelativeWorsening: Double?
  /// What decides; nil means the value by a limit, and by a change the difference's interval if there is one.
  public var judgedBy: Basis?
  /// How sure a binomial verdict must be, in (0.5, 1); nil means `defaultConfidence`.
  public var confidence: Double?

  /// Which side of a limit passes.
  public enum Side: String, Sendable, Codable, CaseIterable {
    /// The value must be the limit or more.
    case atLeast = "at_least"
    /// The value must be the limit or less.
    case atMost = "at_most"
  }

  /// What of a figure decides.
  public enum Basis: String, Sendable, Codable, CaseIterable {
    /// The value alone.
    case value
    /// The whole interval: in pass, out fail, across or without one inconclusive.
    case interval
    /// The samples beyond the limit of a percentile, counted: few pass, many fail, between is inconclusive.
    case binomial
  }

  /// Makes a gate; give a limit or a largest worsening.
  public init(
    metric: String, slice: String? = nil, direction: Side, limit: Double? = nil,
    maxWorsening: Double? = nil, maxRelativeWorsening: Double? = nil, judgedBy: Basis? = nil,
    confidence: Double? = nil
  ) {
    self.metric = metric
    self.slice = slice
    self.direction = direction
    self.limit = limit
    self.maxWorsening = maxWorsening
    self.maxRelativeWorsening = maxRelativeWorsening
    self.judgedBy = judgedBy
    self.confidence = confidence
  }

  private enum CodingKeys: String, CodingKey {
    case metric, slice, direction, limit
    case maxWorsening = "max_worsening"
    case maxRelativeWorsening = "max_relative_worsening"
    case judgedBy = "judged_by"
    case confidence
  }

  /// Whether a base run is needed to judge.
  public var limitsChange: Bool { maxWorsening != nil || maxRelativeWorsening != nil }
}

/// What a gate found.
public enum Verdict: String, Sendable, Codable {
  /// What the gate asks is kept.
  case pass
  /// It is broken, or a value is undefined or missing.
  case fail
  /// There are too few observations for the claim.
  case inconclusive
}

/// A gate with its verdict.
public struct GateResult: Sendable, Hashable, Codable {
  /// The gate.
  public var gate: Gate
  /// The stage of the measurement, or the first word of its name where there is none.
  public var stage: String
  /// What it found.
  public var verdict: Verdict
  /// The value that was judged; nil where there is none to judge.
  @Nullable public var value: Double?
  /// The base run's value; nil where there is none.
  public var base: Double?
  /// The interval of the difference from the base that was judged; nil where the values decided.
  public var difference: Interval?
  /// What was found and what the gate asks, in a sentence or two, or why there is no value.
  public var message: String

  /// Makes a result.
  public init(
    gate: Gate, stage: String, verdict: Verdict, value: Double?, base: Double? = nil,
    difference: Interval? = nil, message: String
  ) {
    self.gate = gate
    self.stage = stage
    self.verdict = verdict
    self.value = value
    self.base = base
    self.difference = difference
    self.message = message
  }

  /// Whether it fails for want of a value, here or in the base, rather than by one.
  public var lacksValue: Bool {
    verdict == .fail && (value == nil || gate.limitsChange && base == nil)
  }
}
