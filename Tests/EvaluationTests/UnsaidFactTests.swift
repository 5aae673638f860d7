import Datasets
import FaceCore
import Foundation
import Metrics
import Records
import Running
import Scoring
import TestSupport
import Testing

/// What a tracker does not report is undefined, and two trackers are compared by the same thing.
@Suite struct UnsaidFactTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = folder.file("d.h5")
    let writer = try DatasetWriter(dataset, name: "d", replacing: true)
    writer.beginSequence(SequenceDescription(name: "clip", kind: .video, framesPerSecond: 30))
    for index in 0..<40 {
      try writer.add(
        name: "\(index).png", image: [], size: ImageSize(width: 640, height: 480),
        timestampMicroseconds: Int64(index) * 33_333, faces: [Self.label(index)])
    }
    try writer.finish()
  }

  /// Points on a spiral that moves; every third is hidden in every second frame.
  private static func label(_ frame: Int, hides: Bool = true) -> FaceLabel {
    let shift = 200 + 30 * sin(Double(frame) / 6)
    var points: [Point] = []
    for point in 0..<68 {
      let radius = Double(point)
      points.append(Point(x: shift + radius * cos(radius), y: 200 + radius * sin(radius)))
    }
    let states = (0..<68).map { (point: Int) -> PointVisibility in
      hides && frame % 2 == 0 && point % 3 == 0 ? .occluded : .visible
    }
    let landmarks = Landmarks(
      scheme: .ibug68, points: points,
      visibility: states)
    return FaceLabel(
      box: BoundingBox(around: points) ?? BoundingBox(x: 0, y: 0, width: 1, height: 1),
      landmarks: landmarks.map { [$0] } ?? [])
  }

  private func evaluate(_ faces: [[FaceLabel]], run: String = "run") throws -> Record {
    let predicted = folder.file("\(run).h5")
    try GivenFaces.write(faces, on: dataset, to: predicted)
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(run))
    plan.predictions = predicted
    plan.bootstrap.resamples = 0
    plan.replaces = true
    return try plan.finish().record
  }

  @Test func `lag and the detector's rate of an imported tracker are undefined with a reason`()
    throws
  {
    let record = try evaluate((0..<40).map { [Self.label($0)] })
    for (name, reason) in [
      ("lag.ms", "the tracker does not provide its points before smoothing"),
      ("jitter.static.unsmoothed", "the tracker does not provide its points before smoothing"),
      ("tracking.detector_rate", "the tracker does not report in which frames its detector ran"),
    ] {
      let measurement = try #require(record.measurement(name))
      #expect(measurement.value == nil && measurement.reason == reason, "\(name)")
    }
    #expect(record.value("jitter.static") != nil)
    #expect(!record.measurements.contains { $0.slice == "detector_ran" })
  }

  @Test func `hidden points are measured where the tracker reports them, and undefined where not`()
    throws
  {
    // It hides every sixth point of the even frames, half of those labelled hidden.
    let reported = try evaluate(
      (0..<40).map { frame in
        var face = Self.label(frame)
        face.landmarks[0].visibility = (0..<68).map { (point: Int) -> PointVisibility in
          frame % 2 == 0 && point % 6 == 0 ? .occluded : .visible
        }
        return [face]
      })
    #expect(reported.value("landmarks.visibility.precision") == 1)
    #expect(reported.value("landmarks.visibility.recall") == 12 / 23.0)
    let silent = try evaluate((0..<40).map { [Self.label($0, hides: false)] })
    for name in ["landmarks.visibility.precision", "landmarks.visibility.recall"] {
      let measurement = try #require(silent.measurement(name))
      #expect(measurement.reason == "the tracker does not report which points are hidden")
    }
  }

  /// Predictions as our pipeline writes them: boxes of its detector a third too wide, and the labelled points.
  private func pipelineRun(_ faces: [[FaceLabel]]) throws -> URL {
    let reader = try DatasetReader(dataset)
    let file = folder.file("pipeline.h5")
    let writer = try PredictionsWriter(
      file,
      header: PredictionsHeader(
        datasetName: reader.name, datasetSHA256: try RunMonitor.silent.hash(reader),
        datasetPath: dataset.path, mode: "image",
        models: [
          .init(name: "d", stage: "detection", sha256: "00"),
          .init(name: "l", stage: "landmarks", sha256: "00"),
        ], candidateFloor: 0.01, stages: ["total"],
        options: [
          "mode": "image", "compatibility": "standard", "num-faces": "5",
          "min-face-detection-confidence": "0.5", "min-face-presence-confidence": "0.5",
          "min-tracking-confidence": "0.5", "detector": "short-range",
          "min-suppression-threshold": "auto", "smoothing-min-cutoff": "0.05",
          "smoothing-beta": "80", "smoothing-derivative-cutoff": "1",
        ]))
    for (index, labels) in faces.enumerated() {
      try writer.add(
        FramePrediction(
          frame: index, size: ImageSize(width: 640, height: 480), stageNanoseconds: [1000],
          detections: [], candidates: [],
          faces: labels.map { label in
            FacePrediction(
              region: nil, isTracked: false, detectionScore: 0.9, presence: 0.9, scheme: .ibug68,
              points: label.landmarks[0].points.map {
                SIMD3(Float($0.x), Float($0.y), .nan)
              })
          }))
    }
    try writer.finish()
    var plan = EvaluationPlan(dataset: dataset, run: folder.file("ours"))
    plan.predictions = file
    plan.bootstrap.resamples = 0
    _ = try plan.finish()
    return plan.run
  }

  @Test func `a pipeline's run and an imported one are compared by the boxes around their points`()
    throws
  {
    let faces = (0..<40).map { [Self.label($0)] }
    let ours = try pipelineRun(faces)
    _ = try evaluate(faces, run: "theirs")
    var plan = ComparisonPlan(runs: [ours, folder.file("theirs")])
    plan.bootstrap.resamples = 100
    let comparison = try RunComparison.run(plan).result
    for name in ["detection.recall@score", "detection.precision@score", "detection.f1@score"] {
      let one = try #require(comparison.difference(name))
      #expect(one.base == 1 && one.candidate == 1, "\(name)")
    }
    let precision = try #require(comparison.difference("detection.ap"))
    #expect(
      precision.difference == nil && precision.reason?.contains("boxes of a detector") == true)
    #expect(comparison.notes.contains { $0.hasPrefix("The candidate has no boxes of a detector") })
    #expect(comparison.differences.allSatisfy { ![.better, .worse].contains($0.outcome) })
    // What both have stands for the runs, whatever one of them lacks; the base may have fewer stages.
    var swapped = ComparisonPlan(runs: [folder.file("theirs"), ours])
    swapped.bootstrap.resamples = 100
    for one in [comparison, try RunComparison.run(swapped).result] {
      #expect(one.differences.contains { $0.name == "faces.recall" && $0.outcome != nil })
    }
  }

  @Test func `times of two runs have neither interval nor p nor verdict`() throws {
    let faces = (0..<40).map { [Self.label($0)] }
    let ours = try pipelineRun(faces)
    var plan = ComparisonPlan(runs: [ours, ours])
    plan.bootstrap.resamples = 100
    let comparison = try RunComparison.run(plan).result
    let times = comparison.differences.filter { Gate.isTime($0.name) }
    #expect(times.contains { $0.difference != nil })
    #expect(times.allSatisfy { $0.p == nil && $0.outcome == nil && $0.interval.low == nil })
    #expect(comparison.notes.contains { $0.hasPrefix("Latencies are advisory and decide nothing") })
  }
}
