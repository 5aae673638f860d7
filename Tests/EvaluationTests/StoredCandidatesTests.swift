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

@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct StoredCandidatesTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = try DrawnDataset.write(DrawnDataset.faces(12), in: folder)
  }

  private func plan(threshold: Double, overlap: Double = 0.5, run: String) -> EvaluationPlan {
    var plan = EvaluationPlan.test(dataset, run: run)
    plan.settings.numFaces = 100
    plan.settings.minFaceDetectionConfidence = threshold
    plan.settings.minSuppressionThreshold = overlap
    return plan
  }

  @Test func `drawn faces are found at all`() throws {
    let record = try plan(threshold: 0.5, run: "run").finish().record
    #expect(try #require(record.value("detection.recall@score")) >= 0.5)
  }

  @Test(arguments: [(0.05, 0.5), (0.3, 0.3), (0.7, 0.5), (0.02, 0.9)])
  func `candidates of one run decode to the faces of a run at other settings`(
    threshold: Double, overlap: Double
  ) throws {
    let stored = try plan(threshold: 0.5, run: "stored").finish().predictions
    let direct = try plan(threshold: threshold, overlap: overlap, run: "direct").finish()
      .predictions
    let decoder = DetectionDecoder(geometry: .shortRange)
    for (stored, direct) in zip(stored, direct) {
      let size = try #require(stored.size)
      let decoded = decoder.detections(
        from: stored.candidates, size: size, threshold: threshold, overlap: overlap)
      // The file keeps boxes and points in single precision.
      #expect(decoded.map(single) == direct.detections)
    }
    #expect(direct.contains { !$0.detections.isEmpty })
  }

  @Test func `a sweep that runs no detector knows no time of the models`() throws {
    let run = plan(threshold: 0.5, run: "stored")
    _ = try run.finish()
    var fresh = SweepPlan(
      run, values: [SweptValues("min-face-detection-confidence", [0.3, 0.5])])
    fresh.evaluation.run = folder.file("fresh")
    fresh.bootstrap.resamples = 0
    let timed = try #require(try SweepRun.run(fresh).record.sweep)
    #expect(timed.columns["model_time"]?.allSatisfy { ($0 ?? 0) > 0 } == true)
    var stored = try SweepPlan(
      ofRun: run.run, into: folder.file("swept"), values: fresh.values)
    stored.evaluation.models = run.models
    stored.bootstrap.resamples = 0
    let sweep = try #require(try SweepRun.run(stored).record.sweep)
    #expect(sweep.cost.detectorInferences == 0 && sweep.columns["model_time"] == nil)
    #expect(sweep.columns["f1"] == timed.columns["f1"])
  }

  private func single(_ face: FaceDetection) -> FaceDetection {
    func single(_ value: Double) -> Double { Double(Float(value)) }
    return FaceDetection(
      box: BoundingBox(
        x: single(face.box.x), y: single(face.box.y), width: single(face.box.width),
        height: single(face.box.height)),
      score: single(face.score),
      keypoints: face.keypoints.map { Point(x: single($0.x), y: single($0.y)) })
  }

  @Test(arguments: [2, 5])
  func `frames worked on at once give the same predictions`(jobs: Int) throws {
    let one = try plan(threshold: 0.5, run: "one").finish()
    var plan = plan(threshold: 0.5, run: "many")
    plan.jobs = jobs
    let many = try plan.finish()
    #expect(many.predictions.untimed == one.predictions.untimed)
    #expect(many.record.accuracy == one.record.accuracy)
    #expect(many.record.notes.contains { $0.contains("with \(jobs) frames at once") })
    #expect(!one.record.notes.contains { $0.contains("frames at once") })
  }

  @Test func `a threshold below the floor stores candidates down to it`() throws {
    let run = try plan(threshold: 0.001, run: "low").finish()
    let scores = run.predictions.flatMap(\.candidates).map(\.score)
    #expect(scores.contains { $0 < 0.01 })
    #expect(scores.allSatisfy { $0 >= 0.001 })
  }

  @Test func `settings are the looser the more detections may overlap, where scores are equal`() {
    var settings = [0.3, 0.9, 0.5].map { overlap in
      var options = FaceLandmarkerOptions()
      options.minSuppressionThreshold = overlap
      return options
    }
    #expect(settings.loosest(with: .v2) == 1)
    settings[1].minSuppressionThreshold = nil
    settings[2].minSuppressionThreshold = 0.4
    #expect(settings.loosest(with: .v2) == 1 && settings.loosest(with: .attention) == 2)
    settings[0].minFacePresenceConfidence = 0.25
    #expect(settings.loosest(with: .v2) == 0)
    #expect([FaceLandmarkerOptions]().loosest(with: nil) == nil)
  }
}
