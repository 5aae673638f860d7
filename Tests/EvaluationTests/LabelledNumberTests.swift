import Datasets
import FaceCore
import Foundation
import HDF5
import Metrics
import Platform
import Records
import Running
import Scoring
import TestSupport
import Testing

/// Labelled numbers of faces, from files to measurements, gates and comparisons.
@Suite struct LabelledNumberTests {
  private let folder: TemporaryFolder
  private static let frames = 48
  private static let clips = 12

  init() throws { folder = try TemporaryFolder() }

  /// Intensities 0 to 5 of a unit in a frame; one that is not coded is 9.
  private static func intensity(_ frame: Int, unit: Int) -> Double {
    frame == 7 && unit == 4 ? 9 : Double((frame * (unit + 1) / 3 + frame / 7) % 6)
  }

  /// DISFA's kind of labels: a video per subject, and for each frame the intensities of two action units.
  private func importLabels() throws -> URL {
    let file = try HDF5File.create(folder.file("labels.h5").path)
    func write(_ path: String, _ shape: [Int], _ values: [Double]) throws {
      let table = try file.createDataset(path, of: Double.self, shape: shape)
      try table.write(values, atRow: 0)
    }
    let rows = Array(0..<Self.frames)
    try write(
      "pixels", [Self.frames, 2, 2, 3], rows.flatMap { Array(repeating: Double($0), count: 12) })
    try write("subject", [Self.frames], rows.map { Double($0 / 4) })
    try write(
      "au", [Self.frames, 2],
      rows.flatMap { row in
        [Self.intensity(row, unit: 4), Self.intensity(row, unit: 12)]
      })
    try file.close()
    let mapping = """
      {"schema": "facegauge.hdf5-mapping", "version": 1, "files": ["labels.h5"],
       "images": {"pixels": {"path": "pixels", "layout": "NHWC", "range": [0, 255]},
                  "sequence": "subject", "subject": "subject"},
       "faces": {"box": {"form": "image"},
                 "attributes": {"AU04": {"path": "au", "columns": [0, 1]},
                                "AU12": {"path": "au", "columns": [1, 2]}}}}
      """
    let dataset = folder.file("disfa.h5")
    let importing = DatasetImport(
      format: HDF5Mapping(), sources: [try folder.write(mapping, to: "mapping.json")],
      options: ImportOptions(), isStrict: false)
    _ = try importing.run(
      into: DatasetWriter(dataset, name: "disfa", replacing: true), advance: { _ in },
      isInterrupted: { false })
    return dataset
  }

  /// OpenFace's kind of output: the intensity, of unit 12 with an error of 1 on odd frames, and its presence.
  private func predict(on dataset: URL, to name: String, worse: Double = 0) throws -> URL {
    let faces = (0..<Self.frames).map { frame in
      var face = FaceLabel(box: BoundingBox(x: 0, y: 0, width: 2, height: 2))
      let smile = Self.intensity(frame, unit: 12)
      let error = frame % 2 == 1 ? 1 + worse * Double(frame % 5) : 0
      face.attributes = [
        "AU04": Self.intensity(frame, unit: 4), "AU12_r": smile + error,
        "AU12_c": smile + error > 2 ? 1 : 0,
      ]
      return [face]
    }
    let file = folder.file(name)
    try GivenFaces.write(faces, on: dataset, to: file)
    return file
  }

  private static let rules = """
    {"schema": "facegauge.attributes", "version": 1, "attributes": [
      {"name": "AU04", "unknown": [9]}, {"name": "AU12", "prediction": "AU12_r"},
      {"name": "smiles", "as": "binary", "label": "AU12", "label_above": 2,
       "prediction": "AU12_c", "prediction_above": 0.5}]}
    """

  private func evaluate(
    _ dataset: URL, _ predictions: URL, run: String = "run", rules: String? = rules,
    gates: String? = nil
  ) throws -> Record {
    var plan = EvaluationPlan(dataset: dataset, run: folder.file(run))
    plan.predictions = predictions
    plan.replaces = true
    plan.bootstrap.resamples = 200
    plan.minSliceCount = 4
    plan.attributes = try rules.map { try folder.write($0, to: "attributes.json") }
    plan.gates = try gates.map { try folder.write($0, to: "gates.json") }
    return try plan.finish().record
  }

  @Test func `labels of action units by mapping are compared, gated and resampled by subject`()
    throws
  {
    let dataset = try importLabels()
    let predictions = try predict(on: dataset, to: "p.h5")
    let gates = """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "attributes.AU12.mae", "direction": "at_most", "limit": 0.4},
        {"metric": "attributes.smiles.auroc", "direction": "at_least", "limit": 0.5}]}
      """
    let record = try evaluate(dataset, predictions, gates: gates)
    #expect(record.dataset.sequences == Self.clips)
    #expect(record.value("attributes.AU12.mae") == 0.5)
    #expect(record.value("attributes.AU12.bias") == 0.5)
    #expect(record.value("attributes.AU04.ccc") == 1)
    #expect(record.measurement("attributes.AU04.mae")?.n == Self.frames - 1)
    #expect(record.gates.map(\.verdict) == [.fail, .pass])
    let interval = try #require(record.measurement("attributes.smiles.f1")?.interval)
    let (low, high) = (try #require(interval.low), try #require(interval.high))
    #expect(low < high)
    #expect(record.headlines.contains("attributes.ccc.conditional"))
    #expect(record.headlines.contains("attributes.f1"))
    #expect(record.options["attributes"] == "attributes.json (AU04, AU12, smiles)")
    let slice = record.measurements.first {
      $0.name == "attributes.AU12.mae" && $0.slice == "AU12=0"
    }
    #expect(slice?.value != nil)
  }

  @Test func `without a file the names that both sides have are compared as numbers`() throws {
    let dataset = try importLabels()
    let record = try evaluate(dataset, try predict(on: dataset, to: "p.h5"), rules: nil)
    #expect(record.value("attributes.AU04.mae") == 0)
    #expect(record.measurement("attributes.AU12.mae") == nil)
    #expect(record.notes.contains { $0.contains("share are compared as numbers: AU04.") })
  }

  @Test func `a run compared with itself differs by nothing, a worse one by its errors`() throws {
    let dataset = try importLabels()
    let same = try predict(on: dataset, to: "p.h5")
    _ = try evaluate(dataset, same, run: "a")
    _ = try evaluate(dataset, same, run: "b")
    _ = try evaluate(dataset, try predict(on: dataset, to: "q.h5", worse: 2), run: "c")
    func differences(_ candidate: String) throws -> [String: Comparison.Difference] {
      var plan = ComparisonPlan(runs: [folder.file("a"), folder.file(candidate)])
      plan.dataset = dataset
      plan.attributes = folder.file("attributes.json")
      plan.bootstrap.resamples = 200
      plan.hasImages = false
      let found = try RunComparison.run(plan).result.differences
      return Dictionary(found.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }
    let alike = try #require(try differences("b")["attributes.ccc.conditional"])
    #expect(alike.difference == 0)
    let worse = try #require(try differences("c")["attributes.ccc.conditional"])
    let change = try #require(worse.difference)
    #expect(change < 0)
  }

  @Test(arguments: [
    (
      #"{"name": "AU12"}"#,
      "'attributes[0].prediction' in attributes.json: expected an attribute of the faces in p.h5 "
        + "(AU04, AU12_c, AU12_r), found 'AU12', perhaps 'AU12_"
    ),
    (
      #"{"name": "AU4", "prediction": "AU04"}"#,
      "'attributes[0].label' in attributes.json: expected an attribute of the faces in disfa.h5 "
        + "(AU04, AU12), found 'AU4', perhaps 'AU04'"
    ),
  ])
  func `an attribute that nobody has is refused before anything is evaluated`(
    rule: String, words: String
  ) throws {
    let dataset = try importLabels()
    let predictions = try predict(on: dataset, to: "p.h5")
    let rules = #"{"schema": "facegauge.attributes", "version": 1, "attributes": [\#(rule)]}"#
    let error = #expect(throws: EvaluationError.self) {
      try evaluate(dataset, predictions, rules: rules)
    }
    #expect(error?.kind == .wrongData)
    let message = (error?.description ?? "").replacing("\(folder.url.path)/", with: "")
    #expect(message.contains(words), "\(message)")
    #expect(!FileManager.default.fileExists(atPath: folder.file("run.partial").path))
  }
}
