extension Gate {
  /// Compares a measurement with the limit; a missing, undefined or non-finite value fails.
  ///
  /// Too few observations for the claim, told by `needs`, are inconclusive with or without a value.
  public func judge(_ measurement: Measurement?) -> GateResult {
    let stage = measurement?.stage ?? String(metric.prefix { $0 != "." })
    let subject = slice.map { "\(metric) in \($0)" } ?? metric
    let unit = measurement.map { Measurement.unitSuffix($0.unit) } ?? ""
    let bound = "the limit of \(direction.words) \(limit.plainText)\(unit)"

    func result(_ verdict: Verdict, value: Double?, _ message: String) -> GateResult {
      GateResult(gate: self, stage: stage, verdict: verdict, value: value, message: message)
    }

    guard let measurement else {
      return result(.fail, value: nil, "\(subject) was not measured, which fails \(bound).")
    }
    guard let value = measurement.value else {
      if let needs = measurement.needs {
        return result(
          .inconclusive, value: nil,
          "\(subject) is undefined: n is \(measurement.n.groupedText) and \(needs.groupedText) are"
            + " needed to judge it by \(bound).")
      }
      let reason = measurement.reason.map { " (\($0))" } ?? ""
      return result(.fail, value: nil, "\(subject) is undefined\(reason), which fails \(bound).")
    }
    guard value.isFinite, limit.isFinite else {
      return result(.fail, value: nil, "\(subject) is not a finite number, which fails \(bound).")
    }
    let figure = text(of: value) + unit
    if let needs = measurement.needs {
      return result(
        .inconclusive, value: value,
        "\(subject) is \(figure), but n is \(measurement.n.groupedText) and"
          + " \(needs.groupedText) are needed to judge it by \(bound).")
    }
    switch direction {
    case .atLeast where value >= limit, .atMost where value <= limit:
      return result(.pass, value: value, "\(subject) is \(figure), within \(bound).")
    case .atLeast:
      return result(.fail, value: value, "\(subject) is \(figure), below \(bound).")
    case .atMost:
      return result(.fail, value: value, "\(subject) is \(figure), above \(bound).")
    }
  }

  /// The value with as many digits as it takes to tell it from the limit.
  private func text(of value: Double) -> String {
    guard value != limit else { return value.plainText }
    let digits = (3...12).first {
      value.text(significantDigits: $0) != limit.text(significantDigits: $0)
    }
    return digits.map { value.shortText(significantDigits: $0) } ?? value.plainText
  }
}

extension Gate.Side {
  /// `at least` or `at most`.
  package var words: String {
    switch self {
    case .atLeast: "at least"
    case .atMost: "at most"
    }
  }
}

extension Verdict {
  /// The verdict over many: fail beats inconclusive beats pass; no gates at all pass.
  public static func overall(_ results: [GateResult]) -> Verdict {
    let verdicts = results.map(\.verdict)
    if verdicts.contains(.fail) { return .fail }
    return verdicts.contains(.inconclusive) ? .inconclusive : .pass
  }
}

extension Record {
  /// Judges gates by this record's measurements of the same name and slice, in the gates' order.
  public func judge(_ gates: [Gate]) -> [GateResult] {
    gates.map { gate in
      gate.judge(measurements.first { $0.name == gate.metric && $0.slice == gate.slice })
    }
  }
}
