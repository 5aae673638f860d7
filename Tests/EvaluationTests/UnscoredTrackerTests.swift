import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// A tracker whose scores say nothing has no metric that they decide.
@Suite struct UnscoredTrackerTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    for index in 0..<6 {
      var faces = [Self.box(0), Self.box(50)]
      for face in faces.indices { faces[face].attributes["wider_easy"] = 1 }
      try writer.add(
        name: "\(index)", image: [], size: ImageSize(width: 0, height: 0), faces: faces)
    }
    try writer.finish()
  }

  private static func box(_ x: Double, _ score: Double? = nil) -> FaceLabel {
    var face = FaceLabel(box: BoundingBox(x: x, y: 0, width: 20, height: 20))
    face.score = score
    return face
  }

  /// In each frame a right face, and in the first three a wrong one; `score` is of a frame.
  private func record(_ score: (Int) -> Double?) throws -> Record {
    let predicted = folder.file("p.h5")
    try GivenFaces.write(
      (0..<6).map { frame in
        [Self.box(0, score(frame))] + (frame < 3 ? [Self.box(100, score(frame))] : [])
      }, on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file("run"))
    plan.predictions = predicted
    plan.bootstrap.resamples = 0
    plan.replaces = true
    return try plan.finish().record
  }

  private static let ranked = [
    "detection.ap", "detection.ap50", "detection.ap_small", "detection.ar1", "detection.ar10",
    "detection.froc", "detection.olrp", "detection.voc.ap", "detection.wider.easy",
  ]
  private static let probable = [
    "detection.ece", "detection.brier", "detection.d_ece", "detection.la_ece",
  ]

  private func check(_ record: Record, undefined: [String], because reason: String) throws {
    for name in undefined {
      let metric = try #require(record.measurement(name), "\(name)")
      // WIDER stretches scores first, and says that it cannot.
      let isKnown = metric.reason == reason || name.hasPrefix("detection.wider")
      #expect(metric.value == nil && isKnown, "\(name): \(metric.reason ?? "")")
    }
    #expect(record.value("detection.recall@score") == 0.5)
    #expect(record.value("detection.precision@score") == 6.0 / 9)
    #expect(record.value("detection.ar100") == 0.5 && record.value("detection.lrp") != nil)
    #expect(record.headlines.prefix(2) == ["faces.recall", "faces.precision"])
    #expect(!record.series.contains { $0.name == "detection.pr@50" || $0.name == "detection.froc" })
  }

  @Test(arguments: [nil, 1] as [Double?])
  func `without scores, or with 1 for all, neither ranks nor probabilities are measured`(
    score: Double?
  ) throws {
    let record = try record { _ in score }
    try check(
      record, undefined: Self.ranked + Self.probable, because: "the tracker gives no scores")
    for name in ["detection.scores", "detection.reliability"] {
      #expect(!record.series.contains { $0.name == name }, "\(name)")
    }
    #expect(record.value("faces.score_ece") == nil && record.value("presence.brier") == nil)
  }

  @Test func `the same score for all ranks nothing, and may be a probability`() throws {
    let record = try record { _ in 0.75 }
    try check(
      record, undefined: Self.ranked, because: "all scores are the same and rank nothing")
    for name in Self.probable { #expect(record.value(name) != nil, "\(name)") }
    let brier = try #require(record.value("detection.brier"))
    #expect(abs(brier - (6 * 0.0625 + 3 * 0.5625) / 9) < 1e-9)
    #expect(record.series.contains { $0.name == "detection.reliability" })
  }

  @Test func `one score that differs ranks`() throws {
    let record = try record { $0 == 5 ? 0.875 : 0.75 }
    for name in Self.ranked + Self.probable where name != "detection.wider.easy" {
      #expect(record.measurement(name)?.reason == nil, "\(name)")
    }
    #expect(record.headlines.contains("detection.wider.easy"))
    #expect(record.series.contains { $0.name == "detection.pr@50" })
  }

  @Test func `faces without detections leave average precision undefined, not 0`() throws {
    let reader = try DatasetReader(dataset)
    let predicted = folder.file("faces.h5")
    let writer = try PredictionsWriter(
      predicted,
      header: PredictionsHeader(
        datasetName: "d", datasetSHA256: try RunMonitor.silent.hash(reader), datasetPath: "",
        mode: "image", models: [], candidateFloor: 0, stages: ["total"],
        options: ["tracker": "theirs"], facts: [.detectorBoxes]))
    for index in 0..<6 {
      let face = FacePrediction(
        region: nil, isTracked: false, detectionScore: 0.75, presence: nil, scheme: nil,
        points: [], ownBox: Self.box(0).box)
      try writer.add(
        FramePrediction(
          frame: index, size: ImageSize(width: 640, height: 480), stageNanoseconds: [nil],
          detections: [], candidates: [], faces: [face]))
    }
    try writer.finish()
    var plan = EvaluationPlan(dataset: dataset, run: folder.file("faces"))
    plan.predictions = predicted
    plan.bootstrap.resamples = 0
    let record = try plan.finish().record
    let precision = try #require(record.measurement("detection.ap"))
    #expect(precision.value == nil)
    #expect(
      precision.reason == "/detections of the predictions has no rows, though they have faces")
    #expect(record.value("faces.recall") == 0.5)
    #expect(record.value("faces.precision") == 1)
  }
}
