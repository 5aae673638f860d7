import Datasets
import FaceCore
import Foundation
import Platform
import TestSupport
import Testing

/// A folder in which labels and a tracker's output go out, and come back.
struct ExportBench {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  static let size = ImageSize(width: 100, height: 80)
  static let awkward = [0.1, 7.25, 33.333332, -3.5, 1.0 / 3]

  /// A face with numbers that are not round, and a point without a label where the format can tell.
  static func face(
    _ number: Int, scheme: LandmarkScheme? = .ibug68, missing: Bool = false
  ) throws -> FaceLabel {
    var face = FaceLabel(
      box: BoundingBox(
        x: awkward[number % 5], y: awkward[(number + 1) % 5] + 20 * Double(number % 3),
        width: 20.125, height: 33.75))
    guard let scheme else { return face }
    let states = (0..<scheme.count).map { index -> PointVisibility in
      missing && index % 9 == 4 ? .notLabelled : missing && index % 7 == 2 ? .occluded : .visible
    }
    let points = (0..<scheme.count).map { index in
      states[index] == .notLabelled
        ? Point(x: .nan, y: .nan)
        : place(index, of: scheme, in: face.box)
    }
    face.landmarks = [
      try #require(Landmarks(scheme: scheme, points: points, visibility: states))
    ]
    return face
  }

  /// A point of an upright face, whose numbers are not round.
  private static func place(
    _ index: Int, of scheme: LandmarkScheme, in box: BoundingBox
  ) -> Point {
    let rest = awkward[index % 5] / 1000
    guard scheme == .ibug68 else {
      return Point(x: box.x + Double(index) / 7, y: box.y + 1000 * rest + 4)
    }
    let point = FacePoints.ibug68()[index]
    return Point(
      x: box.x + 10 + (point.x - 100) / 5 + rest, y: box.y + 8 + (point.y - 80) / 5 + rest)
  }

  func dataset(_ faces: [[FaceLabel]], video: Bool = false) throws -> DatasetReader {
    var made = MadeDataset()
    made.frames = faces.enumerated().map { index, faces in
      var frame = MadeDataset.Still(
        name: ["a.png", "sub/b.png", "ü 顔.png", "q'\"<&>.png"][index % 4], faces: faces)
      if video {
        frame.name = "clip/\(String(repeating: "0", count: 5))\(index + 1).png"
        frame.microseconds = Int64(index) * 40_000
        frame.begins =
          index == 0
          ? SequenceDescription(name: "clip", kind: .video, framesPerSecond: 25) : nil
      }
      return frame
    }
    try made.write(to: folder.file("a.h5"))
    return try DatasetReader(folder.file("a.h5"))
  }

  func predictions(
    _ faces: [[FacePrediction]], of dataset: DatasetReader
  ) throws -> PredictionsReader {
    let writer = try PredictionsWriter(
      folder.file("p.h5"),
      header: PredictionsHeader(
        datasetName: dataset.name, datasetSHA256: "00", datasetPath: "", mode: "image", models: [],
        candidateFloor: 0, stages: ["total"], options: ["tracker": "theirs"],
        facts: [.detectorBoxes]))
    for (index, faces) in faces.enumerated() {
      try writer.add(
        FramePrediction(
          frame: index, size: Self.size, stageNanoseconds: [nil], detections: [], candidates: [],
          faces: faces))
    }
    try writer.finish()
    return try PredictionsReader(folder.file("p.h5"))
  }

  static func given(
    _ number: Int, scheme: LandmarkScheme? = .ibug68, identity: Int? = nil
  ) throws -> FacePrediction {
    let label = try face(number, scheme: scheme)
    return FacePrediction(
      region: nil, isTracked: false, detectionScore: 0.9 - Float(number) / 32, presence: nil,
      scheme: scheme,
      points: label.landmarks.first?.points.map { SIMD3(Float($0.x), Float($0.y), .nan) } ?? [],
      ownBox: scheme == nil
        ? BoundingBox(
          x: Double(Float(label.box.x)), y: Double(Float(label.box.y)), width: 20, height: 33.5)
        : nil, identity: identity)
  }

  func export(
    _ name: String, _ dataset: DatasetReader, _ predictions: PredictionsReader? = nil,
    strict: Bool = true
  ) throws -> DatasetExport.Summary {
    let format = try #require(DatasetExporters.named(name))
    return try DatasetExport(format, isStrict: strict).run(
      over: dataset, predictions, to: folder.file("out"), advance: { _ in },
      isInterrupted: { false })
  }

  func importing(
    _ name: String, _ files: [String], images: String? = nil, scheme: String? = nil
  ) throws -> DatasetSnapshot {
    var options = ImportOptions(imageFolder: images.map { folder.file($0) })
    options.pointOrder = scheme.flatMap(PointOrder.named)
    _ = try DatasetImport(
      format: try #require(DatasetFormats.named(name)), sources: files.map { folder.file($0) },
      options: options, isStrict: true
    ).run(
      into: DatasetWriter(folder.file("b.h5"), name: "made", replacing: true),
      advance: { _ in }, isInterrupted: { false })
    return try DatasetSnapshot(folder.file("b.h5"))
  }

  /// The faces that come back as predictions.
  func faces(
    _ name: String, _ files: [String], of dataset: DatasetReader, images: String? = nil
  ) throws -> [[FacePrediction]] {
    _ = try PredictionsImport(
      format: try #require(DatasetFormats.named(name)), sources: files.map { folder.file($0) },
      options: ImportOptions(imageFolder: images.map { folder.file($0) }), isStrict: true
    ).run(
      for: dataset, sha256: "00", into: folder.file("back.h5"), replacing: true,
      advance: { _ in }, isInterrupted: { false })
    let reader = try PredictionsReader(folder.file("back.h5"))
    return try reader.predictions(0..<reader.frameCount).map(\.faces)
  }

  func text(_ file: String) throws -> String {
    String(decoding: try folder.bytes(file), as: UTF8.self)
  }
}
