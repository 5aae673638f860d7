package import Platform

/// The limits that a user asks for, read strictly: a gate that is not understood is an error.
package struct GatesFile: Sendable, Hashable {
  /// The gates in the order of the file; at least one, no two on the same metric, slice and side.
  package var gates: [Gate]

  /// Reads `{"schema":"facegauge.gates","version":2,"gates":[…]}`; every doubt throws.
  ///
  /// `gates.schema.json` defines the file; names and directions are also checked.
  ///
  /// - Parameters:
  ///   - json: The bytes of the file.
  ///   - source: The file's name for messages.
  ///   - metrics: Every metric that may be named, with the way it improves.
  ///   - aliases: Short names that are used elsewhere, with the metrics that they stand for.
  package init(
    json: [UInt8], source: String, metrics: [String: Direction], aliases: [String: String] = [:]
  ) throws(FileError) {
    let root = try JSONNode(
      json, source: source, header: JSONHeader("facegauge.gates", version: 2), keys: ["gates"])
    let reader = GateReader(metrics: metrics, aliases: aliases)
    gates = []
    for entry in try root["gates"].items(1...Int.max, of: "gates") {
      let gate = try reader.gate(entry)
      // A metric that is best neither way, or near a target, may have a limit on each side.
      let earlier = gates.firstIndex {
        $0.metric == gate.metric && $0.slice == gate.slice && $0.direction == gate.direction
      }
      if let earlier {
        throw entry.wrong(
          "one gate for each metric and slice",
          found: "the metric and slice of gates[\(earlier)] again")
      }
      gates.append(gate)
    }
  }
}

private struct GateReader {
  let metrics: [String: Direction]
  let aliases: [String: String]

  func gate(_ entry: JSONNode) throws(FileError) -> Gate {
    try entry.requireKeys(
      ["metric"],
      optional: [
        "slice", "direction", "limit", "max_worsening", "max_relative_worsening", "evaluated_by",
        "confidence",
      ])
    let metric = try entry["metric"].text("the name of a metric")
    guard let better = metrics[metric] else {
      throw entry["metric"].wrong(
        "the name of a metric"
          + Suggestion.perhapsKey(metric, among: metrics.keys.sorted(), aliases: aliases))
    }
    let limit = try entry["limit"].given?.number()
    let gate = Gate(
      metric: metric, slice: try entry["slice"].unlessNull?.text("the name of a slice or null"),
      direction: try side(of: entry, metric: metric, better: better, limit: limit),
      limit: limit, maxWorsening: try allowance(entry["max_worsening"]),
      maxRelativeWorsening: try allowance(entry["max_relative_worsening"]),
      evaluatedBy: try entry["evaluated_by"].given?.choice(Gate.Basis.self),
      confidence: try entry["confidence"].given?.number())
    try checkBinomial(gate, entry)
    guard better.isDirected || !gate.limitsChange else {
      throw entry.wrong(
        "limit alone, as neither way \(metric) is better", found: "a largest worsening")
    }
    guard limit != nil || gate.limitsChange else {
      throw entry.wrong(
        "limit, max_worsening or max_relative_worsening", found: "none of them")
    }
    return gate
  }

  /// The side that is stated, or where there is no limit the only one that makes sense.
  private func side(
    of entry: JSONNode, metric: String, better: Direction, limit: Double?
  ) throws(FileError) -> Gate.Side {
    guard let stated = entry["direction"].given else {
      guard limit == nil else {
        throw entry.wrong("the key \"direction\" with \"limit\"", found: "none")
      }
      return better.gateSide ?? .atMost
    }
    let side = try stated.choice(Gate.Side.self)
    guard let only = better.gateSide, side != only else { return side }
    throw stated.wrong("\"\(only.rawValue)\", as \(better.rawValue) \(metric) is better")
  }

  private func checkBinomial(_ gate: Gate, _ entry: JSONNode) throws(FileError) {
    guard gate.evaluatedBy == .binomial else {
      if gate.confidence != nil {
        throw entry["confidence"].wrong(
          "\"evaluated_by\": \"binomial\" with it",
          found: entry["evaluated_by"].value?.summary ?? "nothing")
      }
      return
    }
    guard gate.metric.hasPrefix("latency."), Gate.percentile(of: gate.metric) != nil else {
      throw entry["metric"].wrong(
        "a percentile such as \"latency.total.p95\" with \"evaluated_by\": \"binomial\"")
    }
    guard gate.limit != nil, !gate.limitsChange else {
      throw entry.wrong(
        "only a limit with \"evaluated_by\": \"binomial\"",
        found: gate.limitsChange ? "a largest worsening" : "none")
    }
    if let confidence = gate.confidence, confidence <= 0.5 || confidence >= 1 {
      throw entry["confidence"].wrong("a number between 0.5 and 1")
    }
  }

  private func allowance(_ node: JSONNode) throws(FileError) -> Double? {
    guard let value = try node.given?.number() else { return nil }
    guard value >= 0 else { throw node.wrong("0 or more") }
    return value
  }
}

extension Direction {
  /// The only side of a limit that makes sense for a metric that improves this way; nil where both do.
  package var gateSide: Gate.Side? {
    switch self {
    case .higher: .atLeast
    case .lower: .atMost
    case .closest, .neither: nil
    }
  }
}
