import CZlib
import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

/// What `Tests/Oracles/h5py_predictions.py` sees in a file: null is NaN, tables are flat.
struct SeenPredictions: Decodable, Equatable {
  let tables: [String: [Double?]]
  let types: [String: String]
  let attributes: [String: [String]]

  func row(_ table: String, _ index: Int, _ width: Int) -> [Double?] {
    Array((tables[table] ?? [])[(index * width)..<((index + 1) * width)])
  }

  func floats(_ table: String, _ index: Int, _ width: Int) -> [Float] {
    row(table, index, width).map { $0.map { Float($0) } ?? .nan }
  }
}

private struct OraclePredictions: Decodable {
  let bytes: Int
  let zlib: String
  let seen: SeenPredictions
}

@Suite struct H5pyPredictionsTests {
  static let python = LivePython.path
  static let script = Oracles.folder.appending(path: "h5py_predictions.py").path

  let folder: TemporaryFolder
  let url: URL
  let seen: SeenPredictions

  init() throws {
    folder = try TemporaryFolder()
    let oracle = try Oracles.read("h5py_predictions", as: OraclePredictions.self)
    let file = OracleDatasets.File(bytes: oracle.bytes, zlib: oracle.zlib, seen: nil)
    url = try folder.write(file.unpacked(), to: "theirs.h5")
    seen = oracle.seen
  }

  @Test func `the header of a file by h5py reads as h5py reads it`() throws {
    let reader = try PredictionsReader(url)
    var expected = PredictionsHeader(
      datasetName: "naïve", datasetSHA256: "12ab", datasetPath: "clips/a.h5", mode: "video",
      models: [
        .init(name: "detector", stage: "detection", sha256: "00"),
        .init(name: "mesh", stage: "landmarks", sha256: "11"),
      ],
      candidateFloor: 0.25, stages: ["decode", "total"],
      options: ["num-faces": "2", "compatibility": "ios"])
    expected.readings = ["answered_s", "battery"]
    #expect(reader.header == expected)
    #expect(seen.attributes["faces/blendshapes@names"] == Blendshape.names)
  }

  @Test func `the frames of a file by h5py read as h5py reads them`() throws {
    let reader = try PredictionsReader(url)
    #expect(reader.frameCount == 4)
    #expect(reader.brokenCount == 1)
    #expect(reader.droppedCount == 1)
    #expect(reader.faceCount == 2)
    #expect(reader.rejectedCount == 1)
    #expect(reader.detectionCount == 2)
    #expect(reader.candidateCount == 3)
    let frames = try reader.predictions(0..<4)
    #expect(frames.map(\.status) == [.analysed, .dropped, .analysed, .broken])
    #expect(frames[1] == FramePrediction(frame: 1, notAnalysed: .dropped))
    var expected = FramePrediction(
      frame: 2, size: ImageSize(width: 32, height: 16), stageNanoseconds: [nil, 7],
      detectorRan: false, detections: [], candidates: [])
    expected.readings = [1.5, 0.25]
    #expect(frames[2] == expected && frames[0].readings == [0, nil])
    let first = frames[0]
    #expect(first.size == ImageSize(width: 640, height: 480))
    #expect(first.stageNanoseconds == [5, 1_000_000_000_000_000])
    #expect(first.detectorRan)
    for (row, detection) in first.detections.enumerated() {
      let box = detection.box
      let numbers: [Double?] = [box.x, box.y, box.width, box.height, detection.score]
      let expected = seen.row("detections/box", row, 4) + seen.row("detections/score", row, 1)
      #expect(numbers == expected)
      let points: [Double?] = detection.keypoints.flatMap { [$0.x, $0.y] }
      #expect(points == (row == 0 ? seen.row("detections/keypoints", row, 12) : []))
    }
    #expect(first.candidates.map(\.anchor) == [5, 895, 17])
    #expect(first.candidates.map(\.score) == [0.9, 0.3, 0.25])
    for (row, candidate) in first.candidates.enumerated() {
      #expect(
        (0..<16).map { candidate.regressors[$0] } == seen.floats("detector/regressors", row, 16))
    }
    #expect(first.faces.map(\.isTracked) == [true, false])
    #expect(first.rejected.map(\.isTracked) == [false])
    let faces = first.faces + first.rejected
    #expect(faces.map(\.detectionScore) == [nil, 0.75, 0.5])
    #expect(faces.map(\.presence) == [0.99, 0.6, 0.1])
    #expect(faces.map(\.tongueOut) == [nil, 0.125, 0])
    #expect(faces.map { $0.blendshapes == nil } == [false, false, true])
    #expect(faces.map { $0.pose == nil } == [false, true, false])
    for (row, face) in faces.enumerated() {
      let region = try #require(face.region)
      #expect(
        [region.xCenter, region.yCenter, region.width, region.height, region.rotation]
          == seen.floats("faces/region", row, 5))
      #expect(face.scheme == .ibug68)
      func flat(_ points: [SIMD3<Float>]) -> [Float] { points.flatMap { [$0.x, $0.y, $0.z] } }
      let folder = "faces/landmarks/ibug68"
      #expect(flat(face.points) == seen.floats("\(folder)/points", row, 204))
      #expect(flat(face.unsmoothedPoints) == seen.floats("\(folder)/unsmoothed", row, 204))
      if let values = face.blendshapes {
        #expect(values == seen.floats("faces/blendshapes", row, 52))
      }
      if let pose = face.pose {
        #expect((0..<16).map { pose.matrix[$0] } == seen.floats("faces/pose", row, 16))
      }
    }
  }

  @Test(.enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `h5py sees in our file what it saw in its own`() throws {
    let reader = try PredictionsReader(url)
    let ours = folder.file("ours.h5")
    let writer = try PredictionsWriter(ours, header: reader.header)
    for frame in try reader.predictions(0..<4) { try writer.add(frame) }
    try writer.finish()
    let result = try ProcessResult(
      running: try #require(Self.python), [Self.script, "read", ours.path])
    try #require(result.status == 0, "\(result.errors)")
    let again = try JSONDecoder().decode(SeenPredictions.self, from: Data(result.output.utf8))
    #expect(again.types == seen.types)
    #expect(again.tables == seen.tables)
    var attributes = seen.attributes
    attributes["@options"] = seen.attributes["@options"]?.sorted()
    // We write what a tracker provides; the file made by h5py leaves that out.
    attributes["@facts"] = again.attributes["@facts"]
    #expect(again.attributes.filter { !$0.key.hasSuffix("@unit") } == attributes)
    #expect(again.attributes["faces/box@unit"] == ["px"])
    #expect(again.attributes["frames/stage_ns@unit"] == ["ns"])
  }

  @Test(.enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `the example of FORMAT runs`() throws {
    let result = try ProcessResult(
      running: try #require(Self.python), [Self.script, "show", url.path])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("{'decode': 1, 'total': 2}\n[0 0] "), "\(result.output)")
  }
}
