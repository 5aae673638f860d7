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

/// The table's part in the error of real labelled images, from the file to the record.
@Suite(
  .enabled(
    if: Shared.isAvailable && PulledModels.giveLandmarks,
    "needs the shared labelled images and models, and FACEGAUGE_MODELS"))
struct LandmarkCorrespondenceRunTests {
  private func record(
    _ format: String, _ sources: [URL], models: URL, detector: DetectorVariant, score: Double
  ) throws -> Record {
    let folder = try TemporaryFolder()
    let dataset = folder.file("dataset.h5")
    let writer = try DatasetWriter(dataset, name: "faces", replacing: false)
    _ = try DatasetImport(
      format: try #require(DatasetFormats.named(format)), sources: sources,
      options: ImportOptions(), isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    var plan = EvaluationPlan.test(dataset)
    plan.models = models
    plan.settings.numFaces = 20
    plan.settings.minFaceDetectionConfidence = score
    plan.detector = detector
    plan.bootstrap = ClusterBootstrap(resamples: 0)
    return try plan.finish().record
  }

  private func rows(_ record: Record) throws -> [[String]] {
    let series = try #require(record.series.first { $0.name == "landmarks.correspondence" })
    guard case .table(let table) = series.content else { return [] }
    return table.rows
  }

  /// The metrics were measured once with this code; NumPy's fits to MediaPipe's own points gave 0.0327.
  @Test func `on Helen a quarter of the error is the table's, in every part of the face`() throws {
    let record = try record(
      "pts", [Shared.data("helen68/testset")], models: Shared.bundle, detector: .shortRange,
      score: 0.5)
    let table = try #require(record.value("landmarks.nme.interocular.conditional"))
    let regressed = try #require(record.value("landmarks.nme.interocular.regressed"))
    let floor = try #require(record.value("landmarks.bias_floor.interocular"))
    #expect(abs(table - 0.0423635) < 2e-6)
    #expect(abs(regressed - 0.032768) < 2e-5 && abs(table - floor - regressed) < 1e-7)
    #expect(record.measurement("landmarks.nme.interocular.regressed")?.n == 70)
    let rows = try rows(record)
    #expect(rows.map { $0[1] } == ["all points", "jaw", "brows", "nose", "eyes", "mouth"])
    for row in rows { #expect(try #require(Double(row[4])) > #require(Double(row[5]))) }
    #expect(
      record.notes.contains {
        $0.contains("of an NME of 0.0424 by interocular over the found faces, 0.0096 (23 %) goes")
      })
  }

  @Test func `on dlib's examples, with nine images kept apart, as much goes`() throws {
    let files = ["training", "testing"].map {
      Shared.data("dlib-faces/\($0)_with_face_landmarks.xml")
    }
    let record = try record(
      "imglab", files, models: PulledModels.folder, detector: .fullRange, score: 0.3)
    let table = try #require(record.value("landmarks.nme.interocular.conditional"))
    let regressed = try #require(
      record.measurement("landmarks.nme.interocular.regressed.conditional"))
    #expect(regressed.n >= 40)
    #expect(try #require(regressed.value) < 0.85 * table)
  }

  @Test(
    arguments: [("wflw/test_wflw", 4, 0.05), ("cofw/test_cofw", 2, 0.055)])
  func `the tables for WFLW and COFW put every part of published labels in its position`(
    file: String, faces: Int, limit: Double
  ) throws {
    let record = try record(
      "coco", [Shared.data("mmpose-face/\(file).json")], models: PulledModels.folder,
      detector: .fullRange, score: 0.3)
    let error = try #require(record.measurement("landmarks.nme.interocular.conditional"))
    #expect(error.n == faces && (error.value ?? 1) < limit)
    #expect(record.measurement("landmarks.bias_floor.interocular")?.needs == 20)
    for row in try rows(record) {
      #expect(try #require(Double(row[4])) < 0.08, "\(row)")
      #expect(row[5] == "–")
    }
  }
}
