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

/// Sweeps over stored faces have what evaluations of them have, also of scores that are special.
@Suite struct StoredSweepAgreementTests {
  private let folder: TemporaryFolder
  private let dataset: URL
  private let predictions: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    predictions = folder.file("p.h5")
  }

  /// Metrics of each threshold of the score, by a sweep and by an evaluation.
  private func compare(
    _ thresholds: [Double],
    _ check: (_ threshold: Double, _ swept: (String) -> Double?, _ record: Record) -> Void
  ) throws {
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("sweep"))
    evaluation.replaces = true
    var plan = try SweepPlan(
      evaluation, predictions: predictions,
      values: [SweptValues("min-face-detection-confidence", thresholds)])
    plan.bootstrap.resamples = 0
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
}
