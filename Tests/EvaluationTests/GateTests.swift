import FaceCore
import Foundation
import Records
import Running
import Scoring
import TestSupport
import Testing

@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct GateTests {
  private let folder: TemporaryFolder
  private let plan: EvaluationPlan

  init() throws {
    folder = try TemporaryFolder()
    var plan = EvaluationPlan.test(try DrawnDataset.write([.init(), .init()], in: folder))
    plan.gates = folder.file("gates.json")
    self.plan = plan
  }

  private func gates(_ entries: String) throws {
    _ = try folder.write(
      Array(#"{"schema":"facegauge.gates","version":2,"gates":[\#(entries)]}"#.utf8),
      to: "gates.json")
  }

  @Test(arguments: [
    ("detection.fp_per_image@score", "at_most", 1000.0, Verdict.pass),
    ("latency.total.mean", "at_most", 1e-6, .fail),
    ("latency.detect.infer.p99", "at_most", 1000, .inconclusive),
    ("latency.unaccounted.max", "at_most", 10_000, .pass),
    ("detection.recall@score", "at_least", 0, .fail),
    ("detection.ap", "at_least", 0, .fail),
  ])
  func `a gate passes fails or stays open`(
    metric: String, direction: String, limit: Double, verdict: Verdict
  ) throws {
    try gates(#"{"metric":"\#(metric)","direction":"\#(direction)","limit":\#(limit)}"#)
    let record = try plan.finish().record
    #expect(record.gates.map(\.verdict) == [verdict])
    #expect(record.gates.first?.message.contains(metric) == true)
  }

  @Test func `an unknown metric is refused with the nearest name before anything runs`() throws {
    try gates(#"{"metric":"detection.recal@score","direction":"at_least","limit":0.5}"#)
    let error = plan.failure()
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains(#"perhaps "detection.recall@score""#) == true)
    #expect(try folder.names == ["dataset.h5", "gates.json"])
  }

  @Test func `a gates file that is not there is not found`() {
    #expect(plan.failure()?.kind == .notFound)
  }

  @Test func `a direction against the metric's own is refused`() throws {
    try gates(#"{"metric":"detection.ap","direction":"at_most","limit":0.5}"#)
    #expect(plan.failure()?.kind == .wrongData)
  }
}
