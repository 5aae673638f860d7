import Platform
import Records
import Testing

/// Metrics that are best near a target, and such that are better neither way.
@Suite struct DirectionTests {
  private func ratio(_ value: Double) -> Measurement {
    Measurement(
      name: "drawing.length_ratio", stage: "drawing", value: value, unit: "1", better: .closest,
      target: 1, n: 10)
  }

  private func gates(_ text: String) throws -> [Gate] {
    try GatesFile(
      json: Array(#"{"schema":"facegauge.gates","version":2,"gates":[\#(text)]}"#.utf8),
      source: "g.json",
      metrics: ["drawing.length_ratio": .closest, "detection.olrp.score": .neither]
    ).gates
  }

  @Test(arguments: [
    // From 0.9, 0.1 from the target: nearer and as near on the other side pass, farther fails.
    (0.9, 0.95, Verdict.pass), (0.9, 1.08, .pass), (0.9, 1.1, .pass), (0.9, 1.25, .fail),
    (0.9, 0.75, .fail), (1.3, 1.05, .pass), (1.3, 0.6, .fail),
  ])
  func `a metric with a target gets worse by its distance from it`(
    base: Double, value: Double, verdict: Verdict
  ) throws {
    let gate = try gates(#"{"metric":"drawing.length_ratio","max_worsening":0.05}"#)[0]
    #expect(gate.evaluate(ratio(value), base: ratio(base)).verdict == verdict)
  }

  @Test func `a metric with a target may be limited on both sides`() throws {
    let both = try gates(
      #"{"metric":"drawing.length_ratio","direction":"at_least","limit":0.9},"#
        + #"{"metric":"drawing.length_ratio","direction":"at_most","limit":1.1}"#)
    #expect(both.map { $0.evaluate(ratio(1.2)).verdict } == [.pass, .fail])
    #expect(both.map { $0.evaluate(ratio(0.8)).verdict } == [.fail, .pass])
  }

  @Test func `a metric that is better neither way takes a limit and no worsening`() throws {
    let limit = #"{"metric":"detection.olrp.score","direction":"at_most","limit":0.5}"#
    #expect(try gates(limit)[0].limit == 0.5)
    let error = #expect(throws: FileError.self) {
      try gates(#"{"metric":"detection.olrp.score","max_worsening":0.1}"#)
    }
    #expect(
      error?.description.contains(
        "expected limit alone, as neither way detection.olrp.score is better") == true)
  }

  @Test func `the difference of two runs is that of their distances from the target`() {
    let nearer = Comparison.Difference(base: ratio(0.7), candidate: ratio(1.2))
    #expect(abs((nearer.difference ?? 0) + 0.1) < 1e-12)
    #expect(nearer.target == 1 && nearer.better == .closest)
  }

  @Test(arguments: [
    ("latency.total.p50", true), ("startup.first_frame", true), ("budget.headroom", true),
    ("throughput.frames_per_second", true), ("detection.ap", false), ("lag.ms", false),
    ("tracking.reacquire_ms.median", false), ("cost.total.macs", false),
  ])
  func `what the machine's clock gave is a time, what the frames' times gave is none`(
    metric: String, isTime: Bool
  ) {
    #expect(Gate.isTime(metric) == isTime)
  }

  @Test(arguments: [0.5, 3, 3.0000001, 90])
  func `a change of a time is inconclusive, whatever the interval of its difference is`(
    value: Double
  ) {
    func time(_ value: Double) -> Measurement {
      Measurement(
        name: "latency.total.p50", stage: "total", value: value, unit: "ms", better: .lower, n: 100)
    }
    let gate = Gate(metric: "latency.total.p50", direction: .atMost, maxRelativeWorsening: 0.1)
    let sure = Interval(low: value - 3.01, high: value - 2.99, method: "b")
    let result = gate.evaluate(time(value), base: time(3), difference: sure)
    #expect(result.verdict == .inconclusive)
    #expect(result.message.contains("which does not decide the limit of at most 10 % worse"))
    let alone = Gate(metric: "latency.total.p50", direction: .atMost, limit: 10)
    #expect(alone.evaluate(time(value)).verdict == (value <= 10 ? .pass : .fail))
  }

  @Test func `a record states a target exactly where the metric has one`() {
    var record = fullRecord
    record.measurements[0].target = 1
    #expect(throws: FileError.self) { try record.json() }
    record.measurements[0].better = .closest
    #expect(throws: Never.self) { try record.json() }
    record.measurements[0].target = nil
    #expect(throws: FileError.self) { try record.json() }
  }
}
