import Calibration
import Datasets
import FaceCore
import FacePipeline
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing
import Tuning

/// Sweeps over stored faces that are interrupted and continued.
@Suite struct ResumedSweepTests: StoredFramesSuite {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func plan(_ values: [SweptValues]) throws -> SweepPlan {
    let evaluation = EvaluationPlan(dataset: dataset, run: folder.file("sweep"))
    var plan = try SweepPlan(evaluation, predictions: predictions, values: values)
    plan.bootstrap.resamples = 30
    return plan
  }

  /// Leaves an interrupted sweep, which the plan continues then.
  private func interrupt(_ plan: inout SweepPlan, after frames: Int) {
    let begun = plan
    let error = #expect(throws: EvaluationError.self) {
      try SweepRun.run(begun, monitor: .stoppingSweep(after: frames))
    }
    #expect(error?.kind == .interrupted)
    plan.evaluation.resumes = true
  }

  @Test func `an interrupted sweep of any scores goes on to the same result`() throws {
    let frames = (0..<40).map { index in
      var frame = StoredFrame(labels: [0, 40])
      frame.faces = [
        .square(x: 0, y: 0, score: Float(index) - 20, presence: nil),
        .square(x: 80, y: 0, score: Float(index % 7) - 9, presence: nil),
      ]
      return frame
    }
    try StoredFrame.write(frames, dataset: dataset, predictions: predictions)
    var plan = try plan([SweptValues("min-face-detection-confidence", [-15, -5, 0, 10])])
    let whole = try SweepRun.run(plan).record
    plan.evaluation.run = folder.file("resumed")
    interrupt(&plan, after: 17)
    let resumed = try SweepRun.run(plan).record
    #expect(whole.sweep == resumed.sweep && whole.series == resumed.series)
    #expect(whole.sweep?.columns["f1"]?.contains { ($0 ?? 0) > 0 } == true)
  }

  @Test func `a state that cannot be read does not count as none`() throws {
    let frames = (0..<40).map { _ in
      var frame = StoredFrame(labels: [0])
      frame.faces = [.square(x: 0, y: 0, score: 0.5, presence: nil)]
      return frame
    }
    try StoredFrame.write(frames, dataset: dataset, predictions: predictions)
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.25, 0.75])])
    interrupt(&plan, after: 17)
    let state = folder.file("sweep.partial/segments/sweep.state.json")
    try FileManager.default.removeItem(at: state)
    try FileManager.default.createDirectory(at: state, withIntermediateDirectories: false)
    let resumed = plan
    let error = #expect(throws: EvaluationError.self) { try SweepRun.run(resumed) }
    #expect(error?.description.hasSuffix("expected a file, found a folder") == true)
  }

  @Test(arguments: ["counts", "settings", "units"])
  func `a state that does not fit the sweep is refused`(part: String) throws {
    let frames = (0..<40).map { _ in
      var frame = StoredFrame(labels: [0])
      frame.faces = [.square(x: 80, y: 0, score: 0.5, presence: nil)]
      return frame
    }
    try StoredFrame.write(frames, dataset: dataset, predictions: predictions)
    var plan = try plan([SweptValues("min-face-detection-confidence", [0.25, 0.75])])
    interrupt(&plan, after: 17)
    let state = folder.file("sweep.partial/segments/sweep.state.json")
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: state))
    var object = try #require(json as? [String: Any])
    var wrong = try #require(object["wrong"] as? [String: Any])
    switch part {
    case "counts": wrong["counts"] = [Int]()
    case "settings":
      wrong["settings"] = [[["frame": 40, "errors": 1]], [], []] as [[[String: Int]]]
    default: object["units"] = -1
    }
    object["wrong"] = wrong
    try JSONSerialization.data(withJSONObject: object).write(to: state)
    let resumed = plan
    let error = #expect(throws: EvaluationError.self) { try SweepRun.run(resumed) }
    #expect(error?.description.contains("expected a state of the sweep in ") == true)
  }

  @Test func `other predictions, pairings and rules do not continue a sweep`() throws {
    func write(smile: Float) throws {
      let frames = (0..<40).map { _ in
        var face = FacePrediction.square(x: 0, y: 0, score: 0.5, presence: nil)
        face.blendshapes = [Float](repeating: smile, count: Blendshape.allCases.count)
        var frame = StoredFrame(labels: [0])
        frame.expressions = ["happiness"]
        frame.faces = [face]
        return frame
      }
      try StoredFrame.write(frames, dataset: dataset, predictions: predictions)
    }
    try write(smile: 0.25)
    let kept = try Data(contentsOf: predictions)
    var plan = try plan([SweptValues(.expression("happy"), [0.125, 0.5])])
    interrupt(&plan, after: 17)
    func refusal(_ plan: SweepPlan) -> String {
      let error = #expect(throws: EvaluationError.self) { try SweepRun.run(plan) }
      #expect(error?.kind == .wrongData)
      return error?.description ?? ""
    }
    var other = plan
    other.rules = ExpressionRules(plan.rules.rules.dropLast())
    #expect(refusal(other).contains("expected expressions SHA-256 "))
    other = plan
    other.evaluation.pairing = FacePairing(rule: .nearest)
    #expect(refusal(other).contains("expected pairing overlap as before, found nearest"))
    try write(smile: 0.75)
    #expect(refusal(plan).contains("expected predictions SHA-256 "))
    try kept.write(to: predictions)
    #expect(try SweepRun.run(plan).record.sweep?.settings.count == 3)
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
