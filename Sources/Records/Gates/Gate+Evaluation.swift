internal import Platform

extension Gate {
  /// Scores a measurement by the limit, and against the base's measurement where the change is limited.
  ///
  /// A value that is missing, undefined, suppressed, without observations or not finite fails, on either side; one of
  /// too few observations for its claim, told by `needs`, is inconclusive. A worsening is measured the way the metric
  /// gets worse, so an improvement passes; of two allowances the smaller counts, and the relative one is a share
  /// of the base's magnitude, so nothing where the base is 0. Differences of two units in the last place
  /// of the values count as none. An interval passes if it and the value lie inside, fails if both lie outside, and
  /// is inconclusive otherwise; so is a change whose interval was asked for and could not be had, unless the values
  /// are equal. A metric that is best near a target gets worse by its distance from it. A change of a
  /// time is always inconclusive: runs made one after the other also differ by other load on the machine.
  ///
  /// - Parameters:
  ///   - measurement: The metric; nil where the run has none of that name and slice.
  ///   - base: The base run's; needed only where the gate limits the change.
  ///   - difference: The interval of the metric minus the base's over the same frames, if there is one.
  ///   - count: The metric's samples beyond the limit; needed where `evaluatedBy` is binomial.
  ///   - times: Why a change of a time decides nothing.
  package func evaluate(
    _ measurement: Measurement?, base: Measurement? = nil, difference: Interval? = nil,
    count: LimitCount? = nil, times: String = Gate.timesOfTwoRuns
  ) -> GateResult {
    let words = GateWords(self, unit: measurement?.unit ?? base?.unit ?? "1")
    var result = GateResult(
      gate: self,
      stage: measurement?.stage ?? base?.stage ?? String(metric.prefix { $0 != "." }),
      verdict: .pass, value: measurement?.finiteValue, base: base?.finiteValue, message: "")
    // Samples count too where they are too few for the value, but not where it is undefined for another reason.
    if evaluatedBy == .binomial, let measurement, measurement.n > 0,
      measurement.value != nil || measurement.needs != nil
    {
      (result.verdict, result.message) = evaluateByCount(count, value: result.value, words)
      result.message += unitHint(for: measurement)
      return result
    }
    let problem = problem(of: measurement, words)
    let baseProblem =
      limitsChange
      ? self.problem(of: base, position: " in the base", unit: measurement?.unit, words) : nil
    var findings = [problem, baseProblem].compactMap { $0 }
    result.failsWithoutBase = limitsChange && limit != nil && problem?.verdict == .fail
    if problem == nil, let value = result.value {
      if let limit {
        let finding = evaluate(value, measurement?.interval, by: limit, words)
        result.failsWithoutBase = limitsChange && finding.verdict == .fail
        findings.insert(finding, at: 0)
      }
      if limitsChange, baseProblem == nil, let base = result.base {
        if evaluatedBy != .value, difference?.low != nil { result.difference = difference }
        findings.append(
          evaluateChange(from: base, to: value, of: measurement, difference, words, times: times))
      }
    }
    result.verdict = Verdict.worst(findings.map(\.verdict))
    result.message = findings.map(\.sentence).joined(separator: " ") + unitHint(for: measurement)
    return result
  }

  /// That a limit on a time is in milliseconds, where it is so far above the value that another unit seems to be meant;
  /// empty elsewhere.
  private func unitHint(for measurement: Measurement?) -> String {
    guard let limit, limit >= 1000, Gate.isTime(metric), measurement?.unit == "ms",
      let value = measurement?.finiteValue, value > 0, value <= limit / 100
    else { return "" }
    return " The limit is \((limit / value).shortText()) times the value: it is in milliseconds."
  }

  /// Scores the limit by the run's own measurement, and the change by both as they are compared.
  fileprivate func evaluate(
    _ own: Measurement?, _ compared: (base: Measurement, candidate: Measurement),
    difference: Interval?, times: String
  ) -> GateResult {
    var change = self
    change.limit = nil
    var result = change.evaluate(
      compared.candidate, base: compared.base, difference: difference, times: times)
    result.gate = self
    guard limit != nil else { return result }
    var alone = self
    (alone.maxWorsening, alone.maxRelativeWorsening) = (nil, nil)
    let limited = alone.evaluate(own ?? compared.candidate)
    result.verdict = Verdict.worst([limited.verdict, result.verdict])
    result.failsWithoutBase = limited.verdict == .fail
    result.message = "\(limited.message) As compared with the base, \(result.message)"
    return result
  }

  private typealias Finding = (verdict: Verdict, sentence: String)

  /// Why a measurement can't be evaluated; nil where it can.
  private func problem(
    of measurement: Measurement?, position: String = "", unit: String? = nil, _ words: GateWords
  ) -> Finding? {
    let (subject, bound) = (words.subject, words.bound)
    guard let measurement else {
      let prefix = MetricName.latency(MetricName.pipeline, "")
      let hint =
        slice == nil && MetricName.isOfPipeline(metric)
        ? " No file was decoded: the whole frame is "
          + "\(MetricName.latency(MetricName.total, String(metric.dropFirst(prefix.count))))." : ""
      return (.fail, "\(subject) was not measured\(position), which fails \(bound).\(hint)")
    }
    let n = measurement.n.groupedText
    let needed = measurement.needs.map {
      "\($0.groupedText) are needed to evaluate it by \(bound)."
    }
    guard let value = measurement.value else {
      if let needed, measurement.n > 0 {
        return (.inconclusive, "\(subject) is undefined\(position): n is \(n) and \(needed)")
      }
      let reason = measurement.reason.map { " (\($0))" } ?? ""
      return (.fail, "\(subject) is undefined\(position)\(reason), which fails \(bound).")
    }
    guard value.isFinite, limits.allSatisfy(\.isFinite) else {
      return (.fail, "\(subject) is not a finite number\(position), which fails \(bound).")
    }
    guard measurement.n > 0 else {
      return (
        .fail, "\(subject) rests on no observations\(position) (n is 0), which fails \(bound)."
      )
    }
    if let unit, unit != measurement.unit {
      return (
        .fail,
        "\(subject) is in '\(unit)', and in '\(measurement.unit)'\(position), which fails \(bound)."
      )
    }
    if let needed {
      let metric = words.text(of: value, apartFrom: limit)
      return (.inconclusive, "\(subject) is \(metric)\(position), but n is \(n) and \(needed)")
    }
    return nil
  }

  private func evaluate(
    _ value: Double, _ interval: Interval?, by limit: Double, _ words: GateWords
  ) -> Finding {
    let found = "\(words.subject) is \(words.text(of: value, apartFrom: limit))"
    let bound = words.limit
    var bounds: ClosedBounds?
    var span = ""
    if evaluatedBy == .interval {
      guard let known = interval?.bounds else {
        return (
          .inconclusive, "\(found)\(words.without(interval)), which does not decide \(bound)."
        )
      }
      bounds = known
      span = words.span(interval)
    }
    let verdict = verdict(of: value, in: bounds) {
      direction == .atLeast ? $0 >= limit : $0 <= limit
    }
    switch verdict {
    case .pass: return (verdict, "\(found)\(span), within \(bound).")
    case .fail:
      let side = direction == .atLeast ? "below" : "above"
      return (verdict, "\(found)\(span), \(side) \(bound).")
    case .inconclusive: return (verdict, "\(found)\(span), which does not decide \(bound).")
    }
  }

  private func evaluateChange(
    from base: Double, to value: Double, of measurement: Measurement?, _ difference: Interval?,
    _ words: GateWords, times: String
  ) -> Finding {
    let change = measurement?.difference(of: value, from: base) ?? value - base
    let isDistance = measurement?.better == .closest
    let isDownward = direction == .atLeast && !isDistance
    let worsening = isDownward ? -change : change
    let allowed = min(
      maxWorsening ?? .infinity, maxRelativeWorsening.map { $0 * base.magnitude } ?? .infinity)
    let rounding = 2 * max(value.magnitude, base.magnitude).ulp
    var found = limit == nil ? "\(words.subject) is \(words.text(of: value)), " : "It is "
    if worsening.magnitude <= rounding {
      found += "equal to the base's \(words.text(of: base))"
    } else {
      let isAllowance = (worsening - allowed).magnitude <= rounding
      let amount =
        isAllowance
        ? words.exactText(of: allowed) : words.text(of: worsening.magnitude, apartFrom: allowed)
      let share = base == 0 ? nil : worsening.magnitude / base.magnitude * 100
      found += amount + (share.map { " (\($0.shortText()) %)" } ?? "")
      found += " \(worsening > 0 ? "worse" : "better") than the base's \(words.text(of: base))"
    }
    if measurement?.better == .neither {
      return (.inconclusive, "\(found), and neither way is better, which does not decide it.")
    }
    if Gate.isTime(metric) {
      return (.inconclusive, "\(found), which does not decide \(words.change): \(times).")
    }
    var bounds: ClosedBounds?
    if evaluatedBy != .value, let known = difference?.bounds {
      bounds = isDownward ? (-known.high, -known.low) : known
      found += words.span(difference, of: " of the difference")
    } else if evaluatedBy == .interval
      || (evaluatedBy == nil && difference != nil && worsening.magnitude > rounding)
    {
      found += words.without(difference, of: " of the difference")
      return (.inconclusive, "\(found), which does not decide \(words.change).")
    }
    let verdict = verdict(of: worsening, in: bounds) { $0 <= allowed + rounding }
    switch verdict {
    case .pass: return (verdict, "\(found), within \(words.change).")
    case .fail: return (verdict, "\(found), beyond \(words.change).")
    case .inconclusive: return (verdict, "\(found), which does not decide \(words.change).")
    }
  }

  private func verdict(
    of value: Double, in bounds: ClosedBounds?, keeps: (Double) -> Bool
  ) -> Verdict {
    let kept = ([value] + (bounds.map { [$0.low, $0.high] } ?? [])).map(keeps)
    if kept.allSatisfy({ $0 }) { return .pass }
    return kept.contains(true) ? .inconclusive : .fail
  }

  private var limits: [Double] {
    [limit, maxWorsening, maxRelativeWorsening].compactMap { $0 }
  }
}

private typealias ClosedBounds = (low: Double, high: Double)

extension Interval {
  /// Both bounds; nil where there is no interval or a bound is not finite.
  fileprivate var bounds: ClosedBounds? {
    ends.flatMap { $0.low.isFinite && $0.high.isFinite ? $0 : nil }
  }
}

extension Gate {
  /// Whether a metric is a time by the machine's clock, or made of such times.
  package static func isTime(_ metric: String) -> Bool {
    MetricTopic(ofMetric: metric) == .time
  }

  /// Why the times of two runs decide nothing, and what does.
  package static let timesOfTwoRuns =
    "runs made one after the other hold what the machine did meanwhile ('facegauge profile --against' "
    + "and 'facegauge track' time both alternating)"

  /// The same for files that one run of 'facegauge track' made.
  package static let timesOfTracking =
    "a change of a time is evaluated over starts of the programs ('facegauge track' prints the ratio of "
    + "these times with its interval, 'facegauge profile --against' evaluates gates on it)"
}

extension Measurement {
  /// A value minus a base's; of their distances from the target where the metric has one.
  package func difference(of value: Double, from base: Double) -> Double {
    guard better == .closest, let target else { return value - base }
    return abs(value - target) - abs(base - target)
  }

  /// The value, where there is a finite one that rests on something.
  fileprivate var finiteValue: Double? {
    value.flatMap { $0.isFinite && n > 0 ? $0 : nil }
  }
}

extension Verdict {
  /// The verdict over many: fail beats inconclusive beats pass; no gates at all pass.
  package static func overall(_ results: [GateResult]) -> Verdict {
    worst(results.map(\.verdict))
  }

  fileprivate static func worst(_ verdicts: [Verdict]) -> Verdict {
    if verdicts.contains(.fail) { return .fail }
    return verdicts.contains(.inconclusive) ? .inconclusive : .pass
  }
}

extension Record {
  /// Scores gates by this record's measurements of the same name and slice, in the gates' order.
  ///
  /// - Parameters:
  ///   - gates: The gates; those on a slice that the record lacks fail and name the nearest.
  ///   - base: The run that changes are measured against.
  ///   - difference: The interval of a gate's metric minus the base's, where one was computed.
  ///   - compared: Both values of a gate's metric as the runs are compared, where the records have others.
  ///   - count: The samples of a gate's metric that lie beyond its limit, for binomial gates.
  ///   - times: Why a change of a time decides nothing.
  package func evaluate(
    _ gates: [Gate], base: Record? = nil, difference: (Gate) -> Interval? = { _ in nil },
    compared: (Gate) -> (base: Measurement, candidate: Measurement)? = { _ in nil },
    count: (Gate) -> LimitCount? = { _ in nil }, times: String = Gate.timesOfTwoRuns
  ) -> [GateResult] {
    gates.map { gate in
      if gate.limitsChange, let values = compared(gate) {
        return gate.evaluate(
          measurement(gate.metric, in: gate.slice), values, difference: difference(gate),
          times: times)
      }
      var result = gate.evaluate(
        measurement(gate.metric, in: gate.slice),
        base: base?.measurement(gate.metric, in: gate.slice),
        difference: difference(gate), count: gate.evaluatedBy == .binomial ? count(gate) : nil,
        times: times)
      if let hint = gate.slice.flatMap(sliceHint) {
        result.message += " The run has no slice \(hint)."
      } else if let slice = gate.slice, measurement(gate.metric, in: slice) == nil {
        let names = measurements.filter { $0.slice == slice && $0.value != nil }.map(\.name)
        guard !names.isEmpty else { return result }
        result.message +=
          " That slice has only \(names.prefix(8).joined(separator: ", "))"
          + (names.count > 8 ? " and \(names.count - 8) more." : ".")
      } else if gate.limitsChange, let hint = gate.slice.flatMap({ base?.sliceHint($0) }) {
        result.message += " The base has no slice \(hint)."
      }
      return result
    }
  }

  /// The slice in quotes with the nearest one; nil where the record has it.
  private func sliceHint(_ slice: String) -> String? {
    let known = Set(measurements.compactMap(\.slice))
    guard !known.contains(slice) else { return nil }
    return "\"\(slice)\""
      + Suggestion.perhaps(slice, among: known.sorted(), quote: "\"")
  }
}
