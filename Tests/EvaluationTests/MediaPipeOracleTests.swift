import Datasets
import FaceCore
import FacePipeline
import Foundation
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Whole evaluations of real labelled images against MediaPipe's detector scored by pycocotools.
@Suite(.enabled(if: Shared.isAvailable, "needs the shared labelled images and models"))
struct MediaPipeOracleTests {
  private struct Oracle: Decodable {
    struct Image: Decodable {
      var file: String
      var width, height: Int
      var detections, operating: [[Double]]
    }
    struct Counts: Decodable {
      var true_positives, false_positives, misses: Double
    }
    struct Images: Decodable {
      var coco: [Double]
      var operating: Counts
      var images: [Image]
    }
    var overlap, threshold, floor: Double
    var sets: [String: Images]
  }

  private static let metrics = [
    "ap", "ap50", "ap75", "ap_small", "ap_medium", "ap_large", "ar1", "ar10", "ar100",
    "ar_small", "ar_medium", "ar_large",
  ]

  private func dataset(_ name: String, in folder: TemporaryFolder) throws -> URL {
    let data = Shared.folder.appending(path: "data")
    let sources =
      name == "dlib"
      ? ["training", "testing"].map {
        data.appending(path: "dlib-faces/\($0)_with_face_landmarks.xml")
      } : [data.appending(path: "helen68/testset")]
    let url = folder.file("dataset.h5")
    let writer = try DatasetWriter(url, name: name, replacing: false)
    let format = try #require(DatasetFormats.named(name == "dlib" ? "imglab" : "pts"))
    _ = try DatasetImport(
      format: format, sources: sources, options: ImportOptions(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    return url
  }

  private func plan(_ dataset: URL, _ oracle: Oracle, threshold: Double) -> EvaluationPlan {
    var plan = EvaluationPlan.test(dataset, run: "run-\(threshold)")
    plan.models = Shared.bundle
    plan.settings.numFaces = 1000
    plan.settings.minFaceDetectionConfidence = threshold
    plan.settings.minSuppressionThreshold = oracle.overlap
    return plan
  }

  /// Largest difference of scores, and of boxes in pixels, over all images.
  private func deviation(
    _ predictions: [FramePrediction], _ wanted: [[[Double]]]
  ) throws -> (score: Double, box: Double) {
    try #require(predictions.count == wanted.count)
    var worst = (score: 0.0, box: 0.0)
    for (prediction, rows) in zip(predictions, wanted) {
      try #require(prediction.detections.count == rows.count, "frame \(prediction.frame)")
      for (face, row) in zip(prediction.detections, rows) {
        worst.score = max(worst.score, abs(face.score - row[0]))
        let box = [face.box.x, face.box.y, face.box.width, face.box.height]
        for (a, b) in zip(box, row.dropFirst()) { worst.box = max(worst.box, abs(a - b)) }
      }
    }
    return worst
  }

  /// The oracle's numbers are rounded to 1e-5; another order of summation than XNNPACK's moves boxes by some
  /// 1e-6 of the image, thus the limit of 1e-3 pixels and of 1e-6 for what is computed from them.
  @Test(arguments: ["dlib", "helen"])
  func `metrics and boxes are those of MediaPipe and pycocotools`(name: String) throws {
    let oracle = try Oracles.read("mediapipe_faces", as: Oracle.self)
    let expected = try #require(oracle.sets[name])
    let folder = try TemporaryFolder()
    let dataset = try dataset(name, in: folder)
    let frames = try DatasetReader(dataset).frames(0..<expected.images.count)
    #expect(frames.map(\.name) == expected.images.map(\.file))

    let (record, predictions) = try plan(dataset, oracle, threshold: oracle.threshold).finish()
    for (metric, value) in zip(Self.metrics, expected.coco) {
      let measurement = try #require(record.measurement("detection.\(metric)"))
      if value == -1 {
        #expect(measurement.value == nil && measurement.reason != nil, "\(metric)")
      } else {
        let found = try #require(measurement.value)
        #expect(abs(found - value) <= 1e-6, "\(metric): \(found), expected \(value)")
      }
    }
    #expect(
      record.value("detection.true_positives@score") == expected.operating.true_positives)
    #expect(
      record.value("detection.false_positives@score") == expected.operating.false_positives)
    #expect(record.value("detection.false_negatives@score") == expected.operating.misses)

    let operating = try deviation(predictions, expected.images.map(\.operating))
    #expect(operating.score <= 2e-5 && operating.box <= 1e-3, "\(operating)")
    let low = try plan(dataset, oracle, threshold: oracle.floor).finish().predictions
    let loose = try deviation(low, expected.images.map(\.detections))
    #expect(loose.score <= 2e-5 && loose.box <= 1e-3, "\(loose)")
  }

  @Test func `the stages of a frame do not take more than the frame on real images`() throws {
    let oracle = try Oracles.read("mediapipe_faces", as: Oracle.self)
    let folder = try TemporaryFolder()
    let dataset = try dataset("helen", in: folder)
    let (record, predictions) = try plan(dataset, oracle, threshold: 0.5).finish()
    let total = try #require(record.value("latency.total.mean"))
    let unaccounted = try #require(record.value("latency.unaccounted.mean"))
    #expect(unaccounted >= 0 && unaccounted < total, "\(unaccounted) ms of \(total) ms")
    for prediction in predictions {
      let stages = prediction.stageNanoseconds.compactMap { $0 }
      #expect(stages.dropLast().reduce(0, +) <= stages.last ?? 0)
      #expect(stages.allSatisfy { $0 > 0 })
    }
    #expect(record.measurement("latency.unaccounted.mean")?.n == predictions.count)
  }
}
