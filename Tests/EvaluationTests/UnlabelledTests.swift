import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Datasets without labels, and models that find only some of what there is.
@Suite(.enabled(if: PulledModels.giveLandmarks, "needs the models of 'models pull'"))
struct UnlabelledTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func clip() throws -> URL {
    try DrawnClips.write(
      [
        .init("a", DrawnClips.moving(40) + DrawnClips.empty(5) + DrawnClips.moving(5)),
        .init(stills: DrawnClips.moving(2)),
      ], isLabelled: false, in: folder)
  }

  private static func isEvaluatedByLabels(_ name: String) -> Bool {
    name.hasPrefix("detection.") || name.hasPrefix("landmarks.")
  }

  @Test func `without labels only what needs none has a value`() throws {
    var plan = EvaluationPlan.test(try clip())
    plan.settings.runningMode = .video
    let record = try plan.finish().record
    let evaluated = record.measurements.filter { Self.isEvaluatedByLabels($0.name) }
    #expect(evaluated.count > 30)
    for measurement in evaluated {
      #expect(measurement.value == nil, "\(measurement.name)")
      #expect(measurement.reason == "the dataset has no labels", "\(measurement.name)")
      #expect(measurement.interval.reason != nil)
    }
    #expect(
      record.notes.contains("The dataset has no labels: metrics that need them are undefined."))
    #expect(record.value("tracking.tracked_share") == 45.0 / 50)
    #expect(record.value("tracking.losses") == 1)
    #expect(record.value("tracking.longest_gap_ms") == 166.667, "5 frames, in microseconds")
    for name in ["jitter.static", "jitter.static.unsmoothed.interocular", "latency.total.mean"] {
      let value = try #require(record.value(name), "\(name)")
      #expect(value > 0, "\(name)")
    }
    let lag = try #require(record.value("lag.ms"))
    #expect(lag > 0)
    #expect(record.series(named: "detection.misses") == nil)
    #expect(record.series(named: "detection.pr") == nil)
    #expect(record.dataset.faces == 0)
  }

  @Test func `a report's frames lose no face from one clip to the next`() throws {
    let dataset = try DrawnClips.write(
      [.init("a", DrawnClips.moving(4)), .init("b", DrawnClips.empty(3) + DrawnClips.moving(3))],
      isLabelled: false, in: folder)
    var plan = EvaluationPlan.test(dataset)
    plan.settings.runningMode = .video
    let predictions = try plan.finish().predictions
    #expect(predictions[3].faces.count == 1 && predictions[4].faces.isEmpty)
    var errors: [String: Int] = [:]
    try #require(try FrameReading(of: plan.run)).read {
      errors[$0.frame.name] = $0.errorCount
      return true
    }
    #expect(errors.count == 10 && errors["b/0"] == 0)
  }

  @Test func `the gallery of a dataset without labels shows losses, then low presence`() throws {
    var plan = EvaluationPlan.test(try clip())
    plan.settings.runningMode = .video
    let (record, predictions) = try plan.finish()
    #expect(record.gallery.first?.frame == "a/40")
    #expect(record.gallery.first?.caption.contains("1 lost") == true)
    let shown = record.gallery.dropFirst().map(\.frame)
    #expect(record.gallery.dropFirst().allSatisfy { $0.caption.hasPrefix("lowest presence ") })
    #expect(shown.count == 3, "one more of the clip, and both stills")
    var presence: [String: Float] = [:]
    for (index, prediction) in predictions.enumerated() {
      let name = index < 50 ? "a/\(index)" : "still/\(index - 50)"
      presence[name] = (prediction.faces + prediction.rejected).compactMap(\.presence).min()
    }
    let shownPresence = shown.compactMap { presence[$0] }
    #expect(shownPresence == shownPresence.sorted())
    let clips = shown.filter { $0.hasPrefix("a/") }
    let lowest = predictions[..<50].indices.filter { $0 != 40 }
      .compactMap { presence["a/\($0)"] }.min()
    #expect(clips.compactMap { presence[$0] } == [lowest])
  }

  @Test(arguments: [
    ("detection.recall@score", "at_least", 0.0, Verdict.fail),
    ("landmarks.nme.interocular", "at_most", 0.99, .fail),
    ("tracking.tracked_share", "at_least", 0.5, .pass),
    ("tracking.losses", "at_most", 0, .fail),
  ])
  func `a gate on a metric without a value fails`(
    metric: String, direction: String, limit: Double, verdict: Verdict
  ) throws {
    let gate = #"{"metric":"\#(metric)","direction":"\#(direction)","limit":\#(limit)}"#
    var plan = EvaluationPlan.test(try clip())
    plan.settings.runningMode = .video
    plan.gates = try folder.write(
      Array(#"{"schema":"facegauge.gates","version":2,"gates":[\#(gate)]}"#.utf8),
      to: "gates.json")
    #expect(try plan.finish().record.gates.map(\.verdict) == [verdict])
  }

  @Test func `a detector alone leaves landmarks and tracking undefined without a model`() throws {
    for isLabelled in [true, false] {
      var plan = EvaluationPlan.test(
        try DrawnClips.write(
          [.init("a", DrawnClips.moving(6))], isLabelled: isLabelled, in: folder))
      plan.models = PulledModels.folder.appending(path: "face_detection_short_range.tflite")
      plan.settings.runningMode = .video
      plan.settings.outputFaceBlendshapes = true
      plan.replaces = true
      let (record, predictions) = try plan.finish()
      let reason =
        "no model: face_detection_short_range.tflite is a single model, taken for the detector"
      let others = record.measurements.filter {
        !$0.name.hasPrefix("detection.") && !$0.name.hasPrefix("latency.")
      }
      #expect(others.count > 15)
      for measurement in others {
        #expect(measurement.value == nil, "\(measurement.name)")
        #expect(measurement.reason == reason, "\(measurement.name)")
      }
      #expect((record.value("detection.recall@score") != nil) == isLabelled)
      #expect(record.value("latency.detect.infer.mean") != nil)
      #expect(record.value("latency.landmark.infer.mean") == nil)
      #expect(record.models.map(\.stage) == ["detection"])
      #expect(
        record.stages?.map(\.state) == [.ran, .noModel, .noModel, .noModel, .noModel],
        "\(record.stages ?? [])")
      #expect(record.stages?[2].reason == "no landmarks: \(reason)")
      for stage in ["landmarks", "blendshapes", "geometry"] {
        #expect(record.stages?.first { $0.name == stage }?.reason == reason)
        #expect(record.notes.contains("The stage \(stage) did not run: \(reason)."))
      }
      #expect(predictions.allSatisfy { $0.detectorRan && $0.faces.isEmpty })
      #expect(predictions.allSatisfy { $0.detections.count == 1 })
    }
  }

  @Test func `a folder without the bundle has no model for the later stages`() throws {
    let models = folder.file("models")
    try FileManager.default.createDirectory(at: models, withIntermediateDirectories: true)
    for name in ["face_detection_short_range", "face_landmark_with_attention"] {
      let model = PulledModels.folder.appending(path: "\(name).tflite")
      guard FileManager.default.fileExists(atPath: model.path) else { return }
      try FileManager.default.copyItem(
        at: model, to: models.appending(path: model.lastPathComponent))
    }
    var plan = EvaluationPlan.test(try clip())
    plan.models = models
    plan.settings.outputFacialTransformationMatrixes = true
    let record = try plan.finish().record
    #expect(
      record.stages?.map(\.name) == [
        "detection", "landmarks", "smoothing", "blendshapes", "geometry",
      ])
    #expect(record.stages?.map(\.state) == [.ran, .ran, .off, .noModel, .noModel])
    #expect(
      record.models.map(\.name) == ["blazeface-short-range", "face-landmarks-attention"])
    #expect(record.value("latency.blendshapes.infer.mean") == nil)
    #expect(record.value("tracking.tracked_share") != nil)
  }
}
