import FaceCore
import Foundation
import Metrics
import Records
import Scoring
import TestSupport
import Testing
import Tuning

/// How well faces are kept in clips, by sweeps as by evaluations.
@Suite struct SweptTrackingTests: StoredFramesSuite {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The share of occasions on which faces were there, by a sweep's one setting and by an evaluation.
  private func trackedShares() throws -> [Double?] {
    var evaluation = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    var swept = try SweepPlan(
      EvaluationPlan(dataset: dataset, run: folder.file("sweep")), predictions: predictions,
      values: [SweptValues("min-face-detection-confidence", [0.5])])
    swept.bootstrap.resamples = 0
    let sweep = try #require(try SweepRun.run(swept).record.sweep)
    evaluation.predictions = predictions
    evaluation.bootstrap.resamples = 0
    let record = try evaluation.finish().record
    return [
      sweep.columns["tracked_share"].flatMap { $0[0] }, record.value("tracking.tracked_share"),
    ]
  }

  @Test func `a clip without labelled faces is no occasion to track one`() throws {
    let frames = (0..<24).map { index in
      var frame = StoredFrame(labels: index < 12 ? [0] : [])
      if index < 12 { frame.faces = [.square(x: 0, y: 0, score: 0.75, presence: nil)] }
      return frame
    }
    try StoredFrame.write(
      frames, dataset: dataset, predictions: predictions, isVideo: true, clipFrames: 12)
    #expect(try trackedShares() == [1, 1])
  }

  @Test func `frames that repeat the values before them count as lost`() throws {
    // The last 11 of 24 frames have the coefficients of the frame before them.
    let frames = (0..<24).map { index in
      var frame = StoredFrame(labels: [0])
      var face = FacePrediction.square(x: 0, y: 0, score: 0.75, presence: nil)
      face.blendshapes = Blendshape.allCases.indices.map { Float($0 + min(index, 12)) / 128 }
      frame.faces = [face]
      return frame
    }
    try StoredFrame.write(
      frames, dataset: dataset, predictions: predictions, isVideo: true, tracker: "livelink")
    #expect(try trackedShares() == [13.0 / 24, 13.0 / 24])
  }
}
