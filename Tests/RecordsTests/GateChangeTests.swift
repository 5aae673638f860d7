import Records
import Testing

@Suite struct GateChangeTests {
  private typealias Case = (
    gate: Gate, value: Double, base: Double, verdict: Verdict, message: String
  )

  private static func gate(
    _ direction: Gate.Side = .atLeast, limit: Double? = nil, by absolute: Double? = nil,
    share: Double? = nil, evaluatedBy: Gate.Basis? = nil
  ) -> Gate {
    Gate(
      metric: "m", direction: direction, limit: limit, maxWorsening: absolute,
      maxRelativeWorsening: share, evaluatedBy: evaluatedBy)
  }

  private static func measured(
    _ value: Double?, n: Int = 40, needs: Int? = nil, reason: String = "no faces",
    unit: String = "ms", interval: Interval = .none("fewer than 10 sequences")
  ) -> Measurement {
    Measurement(
      name: "m", stage: "s", value: value, reason: value == nil ? reason : nil, needs: needs,
      unit: unit, better: .higher, n: n, interval: interval)
  }

  private static let changes: [Case] = [
    (
      gate(by: 0.02), 0.9, 0.91, .pass,
      "m is 0.9 ms, 0.01 ms (1.1 %) worse than the base's 0.91 ms, within the limit of at most 0.02 ms worse than the base."
    ),
    (
      gate(by: 0.02), 0.88, 0.9, .pass,
      "m is 0.88 ms, 0.02 ms (2.22 %) worse than the base's 0.9 ms, within the limit of at most 0.02 ms worse than the base."
    ),
    (
      gate(by: 0.02), 0.8799, 0.9, .fail,
      "m is 0.88 ms, 0.0201 ms (2.23 %) worse than the base's 0.9 ms, beyond the limit of at most 0.02 ms worse than the base."
    ),
    (
      gate(by: 0), 0.95, 0.9, .pass,
      "m is 0.95 ms, 0.05 ms (5.56 %) better than the base's 0.9 ms, within the limit of at most 0 ms worse than the base."
    ),
    (
      gate(by: 0), 0.9, 0.9, .pass,
      "m is 0.9 ms, equal to the base's 0.9 ms, within the limit of at most 0 ms worse than the base."
    ),
    (
      gate(.atMost, share: 0.1), 11, 10, .pass,
      "m is 11 ms, 1 ms (10 %) worse than the base's 10 ms, within the limit of at most 10 % worse than the base."
    ),
    (
      gate(.atMost, share: 0.07), 10.71, 10, .fail,
      "m is 10.7 ms, 0.71 ms (7.1 %) worse than the base's 10 ms, beyond the limit of at most 7 % worse than the base."
    ),
    (
      gate(.atMost, by: 5, share: 0.1), 12, 10, .fail,
      "m is 12 ms, 2 ms (20 %) worse than the base's 10 ms, beyond the limit of at most 5 ms and 10 % worse than the base."
    ),
    (
      gate(.atMost, by: 1, share: 0.5), 12, 10, .fail,
      "m is 12 ms, 2 ms (20 %) worse than the base's 10 ms, beyond the limit of at most 1 ms and 50 % worse than the base."
    ),
    (
      gate(.atMost, by: 5, share: 0.5), 12, 10, .pass,
      "m is 12 ms, 2 ms (20 %) worse than the base's 10 ms, within the limit of at most 5 ms and 50 % worse than the base."
    ),
    (
      gate(.atMost, share: 0.5), 0, 0, .pass,
      "m is 0 ms, equal to the base's 0 ms, within the limit of at most 50 % worse than the base."
    ),
    (
      gate(.atMost, share: 0.5), 0.001, 0, .fail,
      "m is 0.001 ms, 0.001 ms worse than the base's 0 ms, beyond the limit of at most 50 % worse than the base."
    ),
    (
      gate(share: 0.5), 1, 0, .pass,
      "m is 1 ms, 1 ms better than the base's 0 ms, within the limit of at most 50 % worse than the base."
    ),
    (
      gate(share: 0.1), -11, -10, .pass,
      "m is −11 ms, 1 ms (10 %) worse than the base's −10 ms, within the limit of at most 10 % worse than the base."
    ),
    (
      gate(limit: 0.8, by: 0.02), 0.85, 0.9, .fail,
      "m is 0.85 ms, within the limit of at least 0.8 ms. It is 0.05 ms (5.56 %) worse than the base's 0.9 ms, beyond the limit of at most 0.02 ms worse than the base."
    ),
    (
      gate(limit: 0.9, by: 0.1), 0.85, 0.9, .fail,
      "m is 0.85 ms, below the limit of at least 0.9 ms. It is 0.05 ms (5.56 %) worse than the base's 0.9 ms, within the limit of at most 0.1 ms worse than the base."
    ),
    (
      gate(limit: 0.8, by: 0.1), 0.85, 0.9, .pass,
      "m is 0.85 ms, within the limit of at least 0.8 ms. It is 0.05 ms (5.56 %) worse than the base's 0.9 ms, within the limit of at most 0.1 ms worse than the base."
    ),
  ]

  @Test(arguments: changes.indices)
  func `a change is evaluated the way the metric gets worse`(index: Int) {
    let expected = Self.changes[index]
    let result = expected.gate.evaluate(
      Self.measured(expected.value), base: Self.measured(expected.base))
    #expect(result.verdict == expected.verdict)
    #expect(result.message == expected.message)
    #expect(result.value == expected.value && result.base == expected.base)
    #expect(!result.lacksValue && result.difference == nil)
  }

  @Test func `changes of decimals are not broken by rounding`() {
    for direction in Gate.Side.allCases {
      for base in 1...99 {
        for step in 1...60 {
          let value = direction == .atLeast ? base - step : base + step
          func verdict(_ gate: Gate) -> Verdict {
            gate.evaluate(
              Self.measured(Double(value) / 100), base: Self.measured(Double(base) / 100)
            ).verdict
          }
          #expect(verdict(Self.gate(direction, by: Double(step) / 100)) == .pass)
          #expect(verdict(Self.gate(direction, share: Double(step) / Double(base))) == .pass)
          #expect(verdict(Self.gate(direction, by: Double(step - 1) / 100)) == .fail)
          #expect(
            verdict(Self.gate(direction, share: (Double(step) - 1e-9) / Double(base))) == .fail)
        }
      }
    }
  }

  private static let unusable: [(Measurement?, Verdict, String)] = [
    (nil, .fail, "m was not measured@, which fails"),
    (measured(nil), .fail, "m is undefined@ (no faces), which fails"),
    (measured(nil, n: 0, needs: 100), .fail, "m is undefined@ (no faces), which fails"),
    (
      measured(nil, n: 12, reason: "suppressed: n is 12, under 30"), .fail,
      "m is undefined@ (suppressed: n is 12, under 30), which fails"
    ),
    (measured(0.9, n: 0), .fail, "m rests on no observations@ (n is 0), which fails"),
    (measured(.nan), .fail, "m is not a finite number@, which fails"),
    (measured(-.infinity), .fail, "m is not a finite number@, which fails"),
    (measured(0.9, needs: 100), .inconclusive, "m is 0.9 ms@, but n is 40 and 100 are needed"),
    (measured(nil, needs: 100), .inconclusive, "m is undefined@: n is 40 and 100 are needed"),
  ]

  @Test(arguments: unusable.indices)
  func `a value that cannot be evaluated fails on either side`(index: Int) {
    let (measurement, verdict, message) = Self.unusable[index]
    let good = Self.measured(0.9)
    let own = Self.gate(by: 1).evaluate(measurement, base: good)
    #expect(own.verdict == verdict)
    #expect(own.message.hasPrefix(message.replacing("@", with: "")), "\(own.message)")
    #expect(own.message.hasSuffix("the limit of at most 1 ms worse than the base."))
    #expect(own.lacksValue == (verdict == .fail))
    let base = Self.gate(by: 1).evaluate(good, base: measurement)
    #expect(base.verdict == verdict)
    #expect(base.message.hasPrefix(message.replacing("@", with: " in the base")), "\(base.message)")
    #expect(base.lacksValue == (verdict == .fail))
    let limit = Self.gate(limit: 0).evaluate(measurement)
    #expect(limit.verdict == verdict)
    let ignored = Self.gate(limit: 0).evaluate(good, base: measurement)
    #expect(ignored.verdict == .pass)
  }

  @Test func `a missing base beats too few frames and a kept limit`() {
    let few = Self.gate(by: 1).evaluate(Self.measured(0.9, needs: 100), base: nil)
    #expect(few.verdict == .fail && few.lacksValue)
    let kept = Self.gate(limit: 0.5, by: 1).evaluate(Self.measured(0.9), base: nil)
    #expect(kept.verdict == .fail && kept.lacksValue)
    #expect(kept.message.hasPrefix("m is 0.9 ms, within the limit of at least 0.5 ms. m was not"))
  }

  @Test func `a base in another unit fails`() {
    let result = Self.gate(by: 1).evaluate(Self.measured(0.9), base: Self.measured(0.9, unit: "px"))
    #expect(result.verdict == .fail)
    #expect(result.message.hasPrefix("m is in 'ms', and in 'px' in the base, which fails"))
  }

  private static let spans: [(Double, Double, Double, Verdict)] = [
    (0.95, 0.93, 0.97, .pass), (0.9, 0.9, 0.9, .pass), (0.85, 0.82, 0.87, .fail),
    (0.91, 0.88, 0.93, .inconclusive), (0.89, 0.86, 0.92, .inconclusive),
    (0.95, 0.9, 0.97, .pass), (0.89, 0.9, 0.95, .inconclusive), (0.91, 0.8, 0.89, .inconclusive),
  ]

  @Test(arguments: spans)
  func `the whole interval must keep the limit`(
    value: Double, low: Double, high: Double, verdict: Verdict
  ) {
    let measurement = Self.measured(
      value, interval: Interval(low: low, high: high, method: "bootstrap"))
    let result = Self.gate(limit: 0.9, evaluatedBy: .interval).evaluate(measurement)
    #expect(result.verdict == verdict)
    #expect(result.message.contains("(95 % interval "))
    let mirrored = Self.measured(
      -value, interval: Interval(low: -high, high: -low, method: "bootstrap"))
    let other = Self.gate(.atMost, limit: -0.9, evaluatedBy: .interval).evaluate(mirrored)
    #expect(other.verdict == verdict)
    let byValue = Self.gate(limit: 0.9).evaluate(measurement)
    #expect(byValue.verdict == (value >= 0.9 ? .pass : .fail))
    #expect(!byValue.message.contains("interval"))
  }

  @Test func `without the interval that should decide a gate is inconclusive`() {
    let limit = Self.gate(limit: 0.9, evaluatedBy: .interval).evaluate(Self.measured(0.95))
    #expect(limit.verdict == .inconclusive && !limit.lacksValue)
    #expect(
      limit.message
        == "m is 0.95 ms without an interval (fewer than 10 sequences), which does not decide the limit of at least 0.9 ms."
    )
    let change = Self.gate(by: 0.1, evaluatedBy: .interval).evaluate(
      Self.measured(0.95), base: Self.measured(0.9))
    #expect(change.verdict == .inconclusive)
    #expect(
      change.message.contains(" without an interval of the difference (none was computed), which"))
  }

  /// Value, difference's interval, verdict by an allowance of 0.02 from a base of 0.9.
  private static let differences: [(Double, Double, Double, Verdict)] = [
    (0.89, -0.015, -0.005, .pass), (0.89, -0.02, 0.01, .pass), (0.95, 0.04, 0.06, .pass),
    (0.85, -0.07, -0.03, .fail), (0.85, -0.08, -0.01, .inconclusive),
    (0.89, -0.03, 0.01, .inconclusive), (0.87, -0.04, -0.02, .inconclusive),
    (0.89, -0.05, -0.03, .inconclusive), (0.87, -0.01, 0.01, .inconclusive),
  ]

  @Test(arguments: differences)
  func `the interval of the difference decides a change`(
    value: Double, low: Double, high: Double, verdict: Verdict
  ) {
    let interval = Interval(low: low, high: high, method: "paired bootstrap")
    let base = Self.measured(0.9)
    for gate in [Self.gate(by: 0.02), Self.gate(by: 0.02, evaluatedBy: .interval)] {
      let result = gate.evaluate(Self.measured(value), base: base, difference: interval)
      #expect(result.verdict == verdict)
      #expect(result.difference == interval)
      #expect(result.message.contains("(95 % interval of the difference "))
    }
    let mirrored = Self.gate(.atMost, by: 0.02).evaluate(
      Self.measured(-value), base: Self.measured(-0.9),
      difference: Interval(low: -high, high: -low, method: "paired bootstrap"))
    #expect(mirrored.verdict == verdict)
    let byValue = Self.gate(by: 0.02, evaluatedBy: .value).evaluate(
      Self.measured(value), base: base, difference: interval)
    #expect(byValue.verdict == (value >= 0.88 ? .pass : .fail))
    #expect(byValue.difference == nil)
  }

  @Test(arguments: [(0.85, Verdict.inconclusive), (0.9, .pass), (0.95, .inconclusive)])
  func `a difference without an interval decides nothing but equality`(
    value: Double, verdict: Verdict
  ) {
    let result = Self.gate(by: 0.02).evaluate(
      Self.measured(value), base: Self.measured(0.9), difference: .none("3 sequences"))
    #expect(result.verdict == verdict && result.difference == nil)
    let byValue = Self.gate(by: 0.02, evaluatedBy: .value).evaluate(
      Self.measured(value), base: Self.measured(0.9), difference: .none("3 sequences"))
    #expect(byValue.verdict == (value < 0.88 ? .fail : .pass))
  }

  @Test func `a slice that is not there fails and names the nearest`() {
    var base = fullRecord
    var gate = Gate(
      metric: "detection.ap", slice: "yaw/60-9", direction: .atLeast, limit: 0.5, maxWorsening: 0.1)
    let result = fullRecord.evaluate([gate], base: base)[0]
    #expect(result.verdict == .fail && result.lacksValue)
    #expect(result.message.hasPrefix("detection.ap in yaw/60-9 was not measured, which fails"))
    #expect(result.message.hasSuffix(#" The run has no slice "yaw/60-9", perhaps "yaw/60-90"."#))
    gate.slice = "yaw/60-90"
    base.measurements.removeAll { $0.slice != nil }
    let other = fullRecord.evaluate([gate], base: base)[0]
    #expect(other.message.hasSuffix(#" The base has no slice "yaw/60-90"."#))
  }

  @Test func `of slices that are equally near the first by name is named, whatever the run`() {
    var record = fullRecord
    record.measurements += "hgfedcba".map { letter in
      Measurement(
        name: "detection.ap", stage: "detection", value: 0.5, unit: "1", better: .higher, n: 10,
        slice: "light/\(letter)")
    }
    let gate = Gate(metric: "detection.ap", slice: "light/x", direction: .atLeast, limit: 0.5)
    let result = record.evaluate([gate])[0]
    #expect(result.message.hasSuffix(#" The run has no slice "light/x", perhaps "light/a"."#))
  }

  @Test func `a record is evaluated against the base`() {
    var base = fullRecord
    base.measurements[0].value = 0.4
    let gates = [
      Gate(metric: "detection.recall", direction: .atLeast, maxWorsening: 0.05),
      Gate(metric: "latency.total.p99", direction: .atMost, maxRelativeWorsening: 0.1),
    ]
    let plain = fullRecord.evaluate(gates, base: base)
    #expect(plain.map(\.verdict) == [.fail, .inconclusive])
    #expect(plain[0].base == 0.4)
    let wide = fullRecord.evaluate(gates, base: base) {
      $0.metric == "detection.recall" ? Interval(low: -0.2, high: 0.1, method: "b") : nil
    }
    #expect(wide.map(\.verdict) == [.inconclusive, .inconclusive])
    #expect(fullRecord.evaluate(gates).map(\.verdict) == [.fail, .fail])
  }
}
