import Calibration
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

/// Sweeps over stored faces have what evaluations of them have, also of scores and recordings that are special.
@Suite struct StoredSweepAgreementTests: StoredFramesSuite {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Metrics of each threshold of the score, by a sweep and by an evaluation.
  private func compare(
    _ thresholds: [Double], objectives: [String] = [],
    _ check: (_ threshold: Double, _ swept: (String) -> Double?, _ record: Record) -> Void
  ) throws {
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("sweep"))
    evaluation.replaces = true
    var plan = try SweepPlan(
      evaluation, predictions: predictions,
      values: [SweptValues("min-face-detection-confidence", thresholds)])
    plan.bootstrap.resamples = 0
    plan.objectives = try objectives.map { try Objective($0, of: plan) }
    let sweep = try #require(try SweepRun.run(plan).record.sweep)
    evaluation.run = folder.file("run")
    evaluation.predictions = predictions
    evaluation.bootstrap.resamples = 0
    for threshold in thresholds {
      let position = try #require(sweep.settings.firstIndex(of: [threshold]))
      evaluation.settings.minFaceDetectionConfidence = threshold
      let record = try evaluation.finish().record
      check(threshold, { name in sweep.columns[name].flatMap { $0[position] } }, record)
    }
  }

  @Test func `the error of confidences is undefined where one is no probability`() throws {
    let frames = (0..<12).map { index in
      var frame = StoredFrame(labels: [0])
      frame.faces = [
        .square(
          x: 0, y: 0, score: index == 3 ? -0.5 : 0.75, presence: index == 4 ? 1.5 : 0.75)
      ]
      return frame
    }
    try StoredFrame.write(frames, dataset: dataset, predictions: predictions)
    try compare([-1, 0.25]) { threshold, swept, record in
      let error = swept("detection_error")
      #expect((error == nil) == (threshold < 0), "\(threshold)")
      #expect(error == record.value("faces.score_ece"), "\(threshold)")
      #expect(swept("presence_error") == nil && record.value("faces.presence_ece") == nil)
    }
  }

  @Test func `a sweep of a run keeps what was accepted there`() throws {
    let frames = (0..<24).map { _ in
      var frame = StoredFrame(labels: [0])
      frame.faces = [.square(x: 0, y: 0, score: 0.75, presence: nil)]
      return frame
    }
    try StoredFrame.write(frames, dataset: dataset, predictions: predictions)
    for accepted in [[], ["sides.same"]] {
      var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
      evaluation.predictions = predictions
      evaluation.bootstrap.resamples = 0
      evaluation.replaces = true
      evaluation.accepted = accepted
      _ = try evaluation.finish()
      var plan = try SweepPlan(
        ofRun: evaluation.run, into: folder.file("sweep"),
        values: [SweptValues("min-face-detection-confidence", [0.25])])
      plan.bootstrap.resamples = 0
      plan.evaluation.replaces = true
      let findings = try #require(try SweepRun.run(plan).record.findings)
      let same = try #require(findings.first { $0.name == "sides.same" })
      #expect(same.isOpen == accepted.isEmpty)
    }
  }

  @Test func `frames in which a recording repeats its last values count as lost`() throws {
    let frames = (0..<30).map { index in
      var frame = StoredFrame(labels: [0])
      var face = FacePrediction.square(x: 0, y: 0, score: 0.75, presence: nil)
      face.blendshapes = Blendshape.allCases.indices.map {
        Float($0 + 1) / 64 + Float(min(index, 10)) / 1024
      }
      frame.faces = [face]
      return frame
    }
    try StoredFrame.write(
      frames, dataset: dataset, predictions: predictions, isVideo: true, tracker: "livelink")
    try compare([0.25], objectives: ["min tracking.losses"]) { _, swept, record in
      // The first of the 20 frames with the last values is still measured.
      #expect(record.value("tracking.tracked_share") == 11.0 / 30)
      #expect(swept("tracked_share") == 11.0 / 30)
      #expect(swept("tracking.losses") == 1 && record.value("tracking.losses") == 1)
      #expect(swept("losses_per_minute") == record.value("tracking.losses_per_minute"))
    }
  }
}
