import Records
import Testing

@Suite struct GateEvaluationTests {
  static let cases: [(Gate.Side, Double, Double?, Int?, Verdict, String)] = [
    (.atLeast, 0.9, 0.95, nil, .pass, "m is 0.95 ms, within the limit of at least 0.9 ms."),
    (.atLeast, 0.9, 0.9, nil, .pass, "m is 0.9 ms, within the limit of at least 0.9 ms."),
    (
      .atLeast, 0.9, 0.89999, nil, .fail,
      "m is 0.89999 ms, below the limit of at least 0.9 ms."
    ),
    (.atMost, 40, 40, nil, .pass, "m is 40 ms, within the limit of at most 40 ms."),
    (.atMost, 40, 45.14, nil, .fail, "m is 45.1 ms, above the limit of at most 40 ms."),
    (
      .atMost, 40, 1, 200, .inconclusive,
      "m is 1 ms, but n is 7 and 200 are needed to evaluate it by the limit of at most 40 ms."
    ),
    (
      .atMost, 40, 99, 200, .inconclusive,
      "m is 99 ms, but n is 7 and 200 are needed to evaluate it by the limit of at most 40 ms."
    ),
    (
      .atMost, 40, nil, nil, .fail,
      "m is undefined (because), which fails the limit of at most 40 ms."
    ),
    (
      .atMost, 40, nil, 200, .inconclusive,
      "m is undefined: n is 7 and 200 are needed to evaluate it by the limit of at most 40 ms."
    ),
    (
      .atMost, 40, .nan, nil, .fail,
      "m is not a finite number, which fails the limit of at most 40 ms."
    ),
    (
      .atMost, 40, -.infinity, nil, .fail,
      "m is not a finite number, which fails the limit of at most 40 ms."
    ),
    (
      .atLeast, 40, .nan, 200, .fail,
      "m is not a finite number, which fails the limit of at least 40 ms."
    ),
  ]

  @Test(arguments: cases)
  func `a value is evaluated by its limit`(
    side: Gate.Side, limit: Double, value: Double?, needs: Int?, verdict: Verdict, message: String
  ) {
    let measurement = Measurement(
      name: "m", stage: "s", value: value, reason: value == nil ? "because" : nil, needs: needs,
      unit: "ms", better: .lower, n: 7)
    let result = Gate(metric: "m", direction: side, limit: limit).evaluate(measurement)
    #expect(result.verdict == verdict)
    #expect(result.message == message)
    #expect(result.stage == "s")
    #expect(result.value == (value.flatMap { $0.isFinite ? $0 : nil }))
  }

  @Test func `a missing measurement fails under the first word of its name`() {
    let result = Gate(metric: "jitter.static", direction: .atMost, limit: 2).evaluate(nil)
    #expect(result.verdict == .fail)
    #expect(result.value == nil)
    #expect(result.stage == "jitter")
    #expect(
      result.message == "jitter.static was not measured, which fails the limit of at most 2.")
  }

  @Test func `where no file was decoded the total is named in place of the pipeline`() {
    let result = Gate(metric: "latency.pipeline.p95", direction: .atMost, limit: 2).evaluate(nil)
    #expect(result.verdict == .fail)
    #expect(result.message.hasSuffix(" No file was decoded: the whole frame is latency.total.p95."))
  }

  @Test func `a gate on a slice is not evaluated by the whole`() {
    let gate = Gate(metric: "detection.recall", slice: "yaw/0-30", direction: .atLeast, limit: 0.1)
    #expect(fullRecord.evaluate([gate])[0].verdict == .fail)
    let whole = Gate(metric: "detection.ap", direction: .atLeast, limit: 0.1)
    #expect(fullRecord.evaluate([whole])[0].message.contains("was not measured"))
  }

  @Test func `a gate on a metric that a slice lacks names those that it has`() {
    var record = fullRecord
    for name in ["faces.failure_to_acquire", "detection.recall@score"] {
      record.measurements.append(
        Measurement(
          name: name, title: name, stage: "faces", value: 0.5, reason: nil, unit: "1",
          better: .higher, n: 40, slice: "blur=2", interval: .none("few")))
    }
    let gate = Gate(metric: "faces.recall", slice: "blur=2", direction: .atLeast, limit: 0.1)
    let result = record.evaluate([gate])[0]
    #expect(result.verdict == .fail)
    #expect(
      result.message.hasSuffix(
        "That slice has only faces.failure_to_acquire, detection.recall@score."))
  }

  @Test(arguments: [
    (16e3, 13.0, true), (16e6, 13, true), (2e3, 25, false), (16, 0.1, false), (1e5, 0, false),
  ])
  func `a limit on a time that seems to be in another unit than milliseconds is told`(
    limit: Double, value: Double, isTold: Bool
  ) {
    let name = "latency.total.p95"
    let measurement = Measurement(
      name: name, stage: "s", value: value, reason: nil, needs: nil, unit: "ms", better: .lower,
      n: 100)
    for basis in [nil, Gate.Basis.binomial] {
      let gate = Gate(metric: name, direction: .atMost, limit: limit, evaluatedBy: basis)
      let result = gate.evaluate(measurement, count: LimitCount(samples: 100, beyond: 0))
      #expect(result.verdict == .pass)
      #expect(result.message.hasSuffix(" times the value: it is in milliseconds.") == isTold)
    }
  }

  static let overall: [([Verdict], Verdict)] = [
    ([], .pass), ([.pass, .pass], .pass), ([.pass, .inconclusive], .inconclusive),
    ([.inconclusive, .fail, .pass], .fail), ([.fail, .inconclusive], .fail),
  ]

  @Test(arguments: overall)
  func `fail beats inconclusive beats pass`(verdicts: [Verdict], expected: Verdict) {
    let gate = Gate(metric: "m", direction: .atLeast, limit: 0)
    let results = verdicts.map {
      GateResult(gate: gate, stage: "s", verdict: $0, value: nil, message: "")
    }
    #expect(Verdict.overall(results) == expected)
  }
}
