import Foundation
import Profiling
import Records
import Running
import Statistics
import TestSupport
import Testing
import Timing

/// What gates of a file make of times that a test gives.
@Suite("Relative gates of a file")
struct RelativeGatesTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func gates(_ entries: String..., stages: [String] = ["find", "total"]) throws
    -> RelativeGates
  {
    let file = try folder.write(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [\#(entries.joined(separator: ", "))]}"#,
      to: "gates.json")
    return try RelativeGates(file, stages: stages)
  }

  private func gate(_ metric: String, _ share: Double = 0.05) -> String {
    #"{"metric": "\#(metric)", "max_relative_worsening": \#(share)}"#
  }

  /// Verdicts and messages by the times of base, base again and candidate for each pair.
  private func results(
    _ gates: RelativeGates, pairs: Int = 192, start: (Int) -> Int = { $0 / 16 },
    stages: [String] = ["total"], times: (Int) -> (UInt64, UInt64, UInt64)
  ) -> [GateResult] {
    let measured = stages.map { stage in
      var all = StagePairs(stage: stage)
      for pair in 0..<pairs {
        let (base, again, candidate) = times(pair)
        all.add(base: base, again: again, candidate: candidate, start: start(pair))
      }
      return all
    }
    return gates.results(of: measured)
  }

  /// Noise that is the same for each run of the test, between 0 and 1999.
  private func noise(_ pair: Int, _ lane: UInt64) -> UInt64 {
    var stream = SplitMix64(seed: UInt64(pair) &* 3 &+ lane)
    return stream.next() % 2000
  }

  @Test func `equal times pass, tie by tie`() throws {
    let result = try results(gates(gate("latency.total.p50"))) { _ in (100_000, 100_000, 100_000) }
    #expect(result.map(\.verdict) == [.pass])
    #expect(result[0].difference?.low == 0 && result[0].difference?.high == 0)
    #expect(try #require(result.first).gate.maxRelativeWorsening == 0.05)
  }

  @Test func `10 % longer fails a gate of 5 % and passes one of 20 %`() throws {
    for (share, verdict) in [(0.05, Verdict.fail), (0.2, .pass)] {
      let result = try results(gates(gate("latency.total.p50", share))) { pair in
        (100_000 + noise(pair, 0), 100_000 + noise(pair, 1), 110_000 + noise(pair, 2))
      }
      #expect(result.map(\.verdict) == [verdict], "\(result)")
    }
  }

  @Test func `10 % shorter passes a gate that allows nothing`() throws {
    let result = try results(gates(gate("latency.total.p50", 0))) { pair in
      (100_000 + noise(pair, 0), 100_000 + noise(pair, 1), 90_000 + noise(pair, 2))
    }
    #expect(result.map(\.verdict) == [.pass])
  }

  @Test func `exactly as much longer as a gate allows is not a failure`() throws {
    let result = try results(gates(gate("latency.total.p50", 0.05))) { _ in
      (100_000, 100_000, 105_000)
    }
    #expect(result.map(\.verdict) != [.fail])
  }

  @Test func `after one start, or few, nothing passes and nothing fails`() throws {
    for starts in [1, 9] {
      let result = try results(
        gates(gate("latency.total.p50"), gate("latency.total.p95")), pairs: 180,
        start: { $0 * starts / 180 }
      ) { _ in (100_000, 100_000, 300_000) }
      #expect(result.map(\.verdict) == [.inconclusive, .inconclusive])
      #expect(
        result[0].message == "total ran after \(starts) starts, 10 are needed.", "\(result[0])")
    }
    let few = try results(gates(gate("latency.total.p50")), pairs: 20, start: { $0 }) { _ in
      (100_000, 100_000, 300_000)
    }
    #expect(few.map(\.message) == ["total ran in 20 pairs, 48 are needed."])
  }

  @Test func `a base that differs from itself makes no verdict on less than its own noise`() throws
  {
    let result = try results(gates(gate("latency.total.p50"))) { pair in
      (100_000, 110_000, 110_000 + noise(pair, 2))
    }
    #expect(result.map(\.verdict) != [.fail])
  }

  @Test func `times of 0 and the largest times are no numbers that break a verdict`() throws {
    let zero = try results(gates(gate("latency.total.p50"))) { _ in (0, 0, 0) }
    #expect(zero.map(\.verdict) == [.pass])
    let large = try results(gates(gate("latency.total.p50"))) { _ in (1, 1, .max) }
    #expect(large.map(\.verdict) == [.fail])
    #expect(try #require(large.first?.difference?.high).isFinite)
  }

  @Test func `a stage without times fails, whatever else there is`() throws {
    let result = try results(
      gates(gate("latency.find.p50"), gate("latency.total.p50")), stages: ["total"]
    ) { _ in (100_000, 100_000, 100_000) }
    #expect(result.map(\.verdict) == [.fail, .pass])
    #expect(result[0].message == "find was timed by both programs in no frame.")
    #expect(result[0].value == nil)
    let raw = try results(gates(gate("latency.pipeline.p90"))) { _ in (1, 1, 1) }
    #expect(
      raw[0].message == "pipeline.p90 was timed by both programs in no frame: no frame was "
        + "decoded from a file, so the total has no decoding.")
    let nothing = try results(gates(gate("latency.total.p50")), pairs: 0) { _ in (1, 1, 1) }
    #expect(nothing.map(\.verdict) == [.fail])
  }

  @Test func `a result has the whole name of its stage, as other gates on latency have it`() throws
  {
    let metrics = ["latency.detect.infer.p50", "latency.detect.infer.p90", "latency.total.p95"]
    let stages = ["detect.infer", "total"]
    let asked = try gates(gate(metrics[0]), gate(metrics[1]), gate(metrics[2]), stages: stages)
    let found = results(asked, stages: stages) { _ in (100_000, 100_000, 100_000) }
    #expect(found.map(\.stage) == ["detect.infer", "detect.infer", "total"])
    // Of a stage without times too.
    let none = results(asked, stages: ["total"]) { _ in (100_000, 100_000, 100_000) }
    #expect(none.map(\.stage) == ["detect.infer", "detect.infer", "total"])
  }

  @Test func `a gate on the tail decides by the tail alone`() throws {
    let result = try results(gates(gate("latency.total.p90", 0.2)), pairs: 640) { pair in
      (100_000, 100_000, pair % 4 == 0 ? 300_000 : 100_000)
    }
    #expect(result.map(\.verdict) == [.fail])
    #expect(result[0].gate.metric == "latency.total.p90")
    #expect(result[0].message.hasPrefix("total.p90 takes "))
  }

  @Test(arguments: [
    (#"{"metric": "detection.ap50", "max_worsening": 0.1}"#, "expected latency.STAGE.p50"),
    (
      #"{"metric": "latency.total.p99", "max_relative_worsening": 0.1}"#,
      "expected latency.STAGE.p50"
    ),
    (
      #"{"metric": "latency.total.p50", "direction": "at_most", "limit": 3}"#,
      "max_relative_worsening alone"
    ),
    (#"{"metric": "latency.total.p50", "max_worsening": 3}"#, "max_relative_worsening alone"),
    (
      #"{"metric": "latency.total.p50", "max_relative_worsening": 0.1, "slice": "tracked"}"#,
      "max_relative_worsening alone"
    ),
    (
      #"{"metric": "latency.total.p50", "max_relative_worsening": 0.1, "evaluated_by": "value"}"#,
      #"found "value""#
    ),
    (#"{"metric": "latency.fnd.p50", "max_relative_worsening": 0.1}"#, "latency.find.p50"),
  ])
  func `a gate that the times of two programs cannot answer is refused`(
    entry: String, message: String
  ) {
    let error = #expect(throws: EvaluationError.self) { try gates(entry) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }
}
