package import Platform

/// What a measurement must keep: a limit, or a largest worsening against a base run, or both.
package struct Gate: Sendable, Hashable, Codable {
  /// Name of the measurement, such as `detection.recall`.
  package var metric: String
  /// The part of the dataset; nil means all of it.
  @Nullable package var slice: String?
  /// Which side of a limit passes, and so which way the metric gets worse.
  package var direction: Side
  /// The limit, in the measurement's unit; nil where only the change is limited.
  @Nullable package var limit: Double?
  /// How much worse than the base the value may be, 0 or more, in the measurement's unit.
  package var maxWorsening: Double?
  /// How much worse than the base the value may be, 0 or more, as a share of the base's magnitude.
  package var maxRelativeWorsening: Double?
  /// What decides; nil means the value by a limit, and by a change the difference's interval if there is one.
  package var evaluatedBy: Basis?
  /// How sure a binomial verdict must be, in (0.5, 1); nil means `defaultConfidence`.
  package var confidence: Double?

  /// Which side of a limit passes.
  package enum Side: String, Sendable, Codable, CaseIterable {
    /// The value must be the limit or more.
    case atLeast = "at_least"
    /// The value must be the limit or less.
    case atMost = "at_most"
  }

  /// What of a metric decides.
  package enum Basis: String, Sendable, Codable, CaseIterable {
    /// The value alone.
    case value
    /// The whole interval: in pass, out fail, across or without one inconclusive.
    case interval
    /// The samples beyond the limit of a percentile, counted: few pass, many fail, between is inconclusive.
    case binomial
  }

  /// Makes a gate; give a limit or a largest worsening.
  package init(
    metric: String, slice: String? = nil, direction: Side, limit: Double? = nil,
    maxWorsening: Double? = nil, maxRelativeWorsening: Double? = nil, evaluatedBy: Basis? = nil,
    confidence: Double? = nil
  ) {
    self.metric = metric
    self.slice = slice
    self.direction = direction
    self.limit = limit
    self.maxWorsening = maxWorsening
    self.maxRelativeWorsening = maxRelativeWorsening
    self.evaluatedBy = evaluatedBy
    self.confidence = confidence
  }

  private enum CodingKeys: String, CodingKey {
    case metric, slice, direction, limit
    case maxWorsening = "max_worsening"
    case maxRelativeWorsening = "max_relative_worsening"
    case evaluatedBy = "evaluated_by"
    case confidence
  }

  /// Whether a base run is needed to evaluate.
  package var limitsChange: Bool { maxWorsening != nil || maxRelativeWorsening != nil }
}

/// What a gate found.
package enum Verdict: String, Sendable, Codable {
  /// What the gate asks is kept.
  case pass
  /// It is broken, or a value is undefined or missing.
  case fail
  /// There are too few observations for the claim.
  case inconclusive
}

/// A gate with its verdict.
package struct GateResult: Sendable, Hashable, Codable {
  /// The gate.
  package var gate: Gate
  /// The stage of the measurement, or the first word of its name where there is none.
  package var stage: String
  /// What it found.
  package var verdict: Verdict
  /// The value that was evaluated; nil where there is none to evaluate.
  @Nullable package var value: Double?
  /// The base run's value; nil where there is none.
  package var base: Double?
  /// The interval of the difference from the base that was evaluated; nil where the values decided.
  package var difference: Interval?
  /// What was found and what the gate asks, in a sentence or two, or why there is no value.
  package var message: String
  /// Whether it decides nothing because an input is suspect, however much was measured; of this run alone, files do not have it.
  package private(set) var isWithheld = false
  /// Whether it has a limit and a change, and the limit or the value alone fails; of this run alone too.
  var failsWithoutBase = false

  private enum CodingKeys: CodingKey {
    case gate, stage, verdict, value, base, difference, message
  }

  /// Makes a result.
  package init(
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

  /// Takes the decision from it, for a reason.
  mutating func withhold(for objection: String) {
    verdict = .inconclusive
    message += " \(objection)"
    isWithheld = true
  }

  /// Whether it fails without a value, here or in the base, rather than by one.
  package var lacksValue: Bool {
    verdict == .fail && (value == nil || gate.limitsChange && base == nil)
  }
}
