import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing
import Tuning

/// Sweeps over stored faces that were interrupted.
@Suite struct ResumedSweepTests {
  private let folder: TemporaryFolder
  private let dataset: URL
  private let predictions: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    predictions = folder.file("p.h5")
    let frames = (0..<40).map { index in
      var frame = StoredFrame(labels: [0, 40])
      frame.faces = [
        .square(x: 0, y: 0, score: Float(index) - 20, presence: nil),
        .square(x: 80, y: 0, score: Float(index % 7) - 9, presence: nil),
      ]
      return frame
    }
    try StoredFrame.write(frames, dataset: dataset, predictions: predictions)
  }

  private func plan(_ values: [SweptValues], into name: String) throws -> SweepPlan {
    var plan = try SweepPlan(
      EvaluationPlan(dataset: dataset, run: folder.file(name)), predictions: predictions,
      values: values)
    plan.bootstrap.resamples = 30
    return plan
  }

  /// Stops a sweep in its second unit of frames.
  private func interrupt(_ plan: SweepPlan) {
    let error = #expect(throws: EvaluationError.self) {
      try SweepRun.run(plan, monitor: .stoppingSweep(after: 17))
    }
    #expect(error?.kind == .interrupted)
  }

  @Test func `an interrupted sweep of any scores goes on to the same result`() throws {
    let values = [SweptValues("min-face-detection-confidence", [-15, -5, 0, 10])]
    let whole = try SweepRun.run(try plan(values, into: "sweep")).record
    var rest = try plan(values, into: "resumed")
    interrupt(rest)
    rest.evaluation.resumes = true
    let resumed = try SweepRun.run(rest).record
    #expect(whole.sweep == resumed.sweep && whole.series == resumed.series)
    #expect(whole.sweep?.columns["f1"]?.contains { ($0 ?? 0) > 0 } == true)
  }

  @Test func `a sweep goes on with no other predictions or rules of expressions`() throws {
    let values = [
      SweptValues("min-face-detection-confidence", [-15, 0]),
      SweptValues(.expression("happy"), [0.2, 0.4]),
    ]
    var swept = try plan(values, into: "changed")
    interrupt(swept)
    swept.evaluation.resumes = true
    func refusal(_ plan: SweepPlan) -> String {
      let error = #expect(throws: EvaluationError.self) { try SweepRun.run(plan) }
      #expect(error?.kind == .wrongData)
      return error?.description ?? ""
    }
    var other = swept
    other.rules = ExpressionRules([ExpressionRule("happy", .coefficient(.mouthSmileLeft))])
    #expect(refusal(other).contains("expected expressions SHA-256 "))
    let reader = try PredictionsReader(predictions)
    var stored = try reader.predictions(0..<reader.frameCount)
    stored[0].faces[0].detectionScore = 5
    let changed = folder.file("changed.h5")
    let writer = try PredictionsWriter(changed, header: reader.header)
    for prediction in stored { try writer.add(prediction) }
    try writer.finish()
    try FileManager.default.removeItem(at: predictions)
    try FileManager.default.moveItem(at: changed, to: predictions)
    #expect(refusal(swept).contains("expected predictions SHA-256 "))
  }
}

extension RunMonitor {
  /// Asks a sweep to stop after so many frames.
  fileprivate static func stoppingSweep(after frames: Int) -> RunMonitor {
    let done = StepCount()
    return RunMonitor(
      begin: { phase, _ in done.reset(isCounting: phase == .sweeping) },
      advanceBy: { done.add($0) }, isInterrupted: { done.value >= frames })
  }
}
