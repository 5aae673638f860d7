internal import Platform

/// The limits that a user asks for, read strictly: a gate that is not understood is an error.
package struct GatesFile: Sendable, Hashable {
  /// The gates in the order of the file; at least one, no two on the same metric and slice.
  package var gates: [Gate]

  /// Reads `{"schema":"facegauge.gates","version":2,"gates":[…]}`; every doubt throws.
  ///
  /// `gates.schema.json` defines the file; names and directions are also checked.
  ///
  /// - Parameters:
  ///   - json: The bytes of the file.
  ///   - source: The file's name for messages.
  ///   - metrics: Every metric that may be named, with the way it improves.
  package init(json: [UInt8], source: String, metrics: [String: Direction]) throws(RecordError) {
    let root = GatesReader(source: source, metrics: metrics)
    gates = try root.gates(in: JSONValue(bytes: json, source: source))
  }
}

private struct GatesReader {
  let source: String
  let metrics: [String: Direction]

  func gates(in file: JSONValue) throws(RecordError) -> [Gate] {
    let members = try object(
      file, at: "", required: ["schema", "version", "gates"], optional: [])
    guard case .string("facegauge.gates")? = members["schema"] else {
      throw error("schema", expected: "\"facegauge.gates\"", found: members["schema"])
    }
    guard case .number(2)? = members["version"] else {
      throw error("version", expected: "2", found: members["version"])
    }
    guard case .array(let entries)? = members["gates"], !entries.isEmpty else {
      throw error("gates", expected: "a list with a gate or more", found: members["gates"])
    }
    var gates: [Gate] = []
    for (index, entry) in entries.enumerated() {
      let gate = try gate(entry, at: "gates[\(index)]")
      // A metric that is best neither way, or near a target, may have a limit on each side.
      let earlier = gates.firstIndex {
        $0.metric == gate.metric && $0.slice == gate.slice && $0.direction == gate.direction
      }
      if let earlier {
        throw error(
          "gates[\(index)]", expected: "one gate for each metric and slice",
          found: "the metric and slice of gates[\(earlier)] again")
      }
      gates.append(gate)
    }
    return gates
  }

  private func gate(_ entry: JSONValue, at position: String) throws(RecordError) -> Gate {
    let members = try object(
      entry, at: position, required: ["metric"],
      optional: [
        "slice", "direction", "limit", "max_worsening", "max_relative_worsening", "evaluated_by",
        "confidence",
      ])
    guard case .string(let metric)? = members["metric"] else {
      throw error(
        "\(position).metric", expected: "the name of a metric", found: members["metric"])
    }
    guard let better = metrics[metric] else {
      throw error(
        "\(position).metric",
        expected: "the name of a metric"
          + Suggestion.perhaps(
            metric, among: metrics.keys.sorted(), quote: "\""),
        found: members["metric"])
    }
    let slice: String?
    switch members["slice"] ?? .null {
    case .null: slice = nil
    case .string(let name) where !name.isEmpty: slice = name
    case let other:
      throw error("\(position).slice", expected: "the name of a slice or null", found: other)
    }
    let limit = try number("limit", of: members, at: position)
    let gate = Gate(
      metric: metric, slice: slice,
      direction: try side(of: members, at: position, metric: metric, better: better, limit: limit),
      limit: limit, maxWorsening: try allowance("max_worsening", of: members, at: position),
      maxRelativeWorsening: try allowance("max_relative_worsening", of: members, at: position),
      evaluatedBy: try basis(of: members, at: position),
      confidence: try number("confidence", of: members, at: position))
    try checkBinomial(gate, members, at: position)
    guard better.isDirected || !gate.limitsChange else {
      throw error(
        position, expected: "limit alone, as neither way \(metric) is better",
        found: "a largest worsening")
    }
    guard limit != nil || gate.limitsChange else {
      throw error(
        position, expected: "limit, max_worsening or max_relative_worsening", found: "none of them")
    }
    return gate
  }

  /// The side that is stated, or where there is no limit the only one that makes sense.
  private func side(
    of members: [String: JSONValue], at position: String, metric: String, better: Direction,
    limit: Double?
  ) throws(RecordError) -> Gate.Side {
    guard let stated = members["direction"] else {
      guard limit == nil else {
        throw error(position, expected: "the key \"direction\" with \"limit\"", found: "none")
      }
      return better.gateSide ?? .atMost
    }
    guard case .string(let word) = stated, let side = Gate.Side(rawValue: word) else {
      throw error(
        "\(position).direction", expected: "\"at_least\" or \"at_most\"", found: stated)
    }
    guard let only = better.gateSide else { return side }
    guard side == only else {
      throw error(
        "\(position).direction",
        expected: "\"\(only.rawValue)\", as \(better.rawValue) \(metric) is better",
        found: stated)
    }
    return side
  }

  private func checkBinomial(
    _ gate: Gate, _ members: [String: JSONValue], at position: String
  ) throws(RecordError) {
    guard gate.evaluatedBy == .binomial else {
      if gate.confidence != nil {
        throw error(
          "\(position).confidence", expected: "\"evaluated_by\": \"binomial\" with it",
          found: members["evaluated_by"])
      }
      return
    }
    guard gate.metric.hasPrefix("latency."), Gate.percentile(of: gate.metric) != nil else {
      throw error(
        "\(position).metric",
        expected: "a percentile such as \"latency.total.p95\" with \"evaluated_by\": \"binomial\"",
        found: members["metric"])
    }
    guard gate.limit != nil, !gate.limitsChange else {
      throw error(
        position, expected: "only a limit with \"evaluated_by\": \"binomial\"",
        found: gate.limitsChange ? "a largest worsening" : "none")
    }
    if let confidence = gate.confidence, confidence <= 0.5 || confidence >= 1 {
      throw error(
        "\(position).confidence", expected: "a number between 0.5 and 1",
        found: members["confidence"])
    }
  }

  private func number(
    _ key: String, of members: [String: JSONValue], at position: String
  ) throws(RecordError) -> Double? {
    switch members[key] {
    case nil: return nil
    case .number(let value)? where value.isFinite: return value
    case let other: throw error("\(position).\(key)", expected: "a finite number", found: other)
    }
  }

  private func allowance(
    _ key: String, of members: [String: JSONValue], at position: String
  ) throws(RecordError) -> Double? {
    let value = try number(key, of: members, at: position)
    if let value, value < 0 {
      throw error("\(position).\(key)", expected: "0 or more", found: members[key])
    }
    return value
  }

  private func basis(
    of members: [String: JSONValue], at position: String
  ) throws(RecordError) -> Gate.Basis? {
    guard let stated = members["evaluated_by"] else { return nil }
    guard case .string(let word) = stated, let basis = Gate.Basis(rawValue: word) else {
      throw error(
        "\(position).evaluated_by", expected: "\"value\", \"interval\" or \"binomial\"",
        found: stated)
    }
    return basis
  }

  private func object(
    _ value: JSONValue, at position: String, required: [String], optional: [String]
  ) throws(RecordError) -> [String: JSONValue] {
    let known = required + optional
    let list = known.joined(separator: ", ")
    guard case .object(let members) = value else {
      throw error(position, expected: "an object with the keys \(list)", found: value)
    }
    if let unknown = members.keys.filter({ !known.contains($0) }).min() {
      throw error(position, expected: "only the keys \(list)", found: "the key \"\(unknown)\"")
    }
    if let missing = required.first(where: { members[$0] == nil }) {
      throw error(position, expected: "the key \"\(missing)\"", found: "none")
    }
    return members
  }

  private func error(_ position: String, expected: String, found: JSONValue?) -> RecordError {
    error(position, expected: expected, found: found?.summary ?? "nothing")
  }

  private func error(_ position: String, expected: String, found: String) -> RecordError {
    RecordError(
      operation: .read, source: source, position: position, expected: expected, found: found)
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
