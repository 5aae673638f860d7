/// A limit that a measurement must keep.
public struct Gate: Sendable, Hashable, Codable {
  /// Name of the measurement, such as `detection.recall`.
  public var metric: String
  /// The part of the dataset; nil means all of it.
  @Nullable public var slice: String?
  /// Which side of the limit passes.
  public var direction: Side
  /// The limit, in the measurement's unit.
  public var limit: Double

  /// Which side of a limit passes.
  public enum Side: String, Sendable, Codable, CaseIterable {
    /// The value must be the limit or more.
    case atLeast = "at_least"
    /// The value must be the limit or less.
    case atMost = "at_most"
  }

  /// Makes a gate.
  public init(metric: String, slice: String? = nil, direction: Side, limit: Double) {
    self.metric = metric
    self.slice = slice
    self.direction = direction
    self.limit = limit
  }
}

/// What a gate found.
public enum Verdict: String, Sendable, Codable {
  /// The limit is kept.
  case pass
  /// The limit is broken, or the value is undefined or missing.
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
  /// The value that was judged; nil where it is undefined.
  @Nullable public var value: Double?
  /// One sentence that says value, limit and unit, or why there is no value.
  public var message: String

  /// Makes a result.
  public init(gate: Gate, stage: String, verdict: Verdict, value: Double?, message: String) {
    self.gate = gate
    self.stage = stage
    self.verdict = verdict
    self.value = value
    self.message = message
  }
}
