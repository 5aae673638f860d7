import CZlib
import Datasets
import FaceCore
import Foundation
import Imaging
import Platform
import TestSupport
import Testing

/// What `Tests/Oracles/h5py_dataset.py` sees in a file; the names are those of its JSON.
struct SeenDataset: Codable, Equatable {
  var name: String?
  var names: [String]?
  var sizes: [[Int]]
  var images: [UInt]
  var frame_sequences: [Int]?
  var timestamps: [Int64]?
  var sequence_names: [String]?
  var sequence_kinds: [String]?
  var sequence_subjects: [String]?
  var sequence_firsts: [Int]?
  var sequence_counts: [Int]?
  var sequence_fps: [Double]?
  var face_frames: [Int]
  var boxes: [[Double]]
  var areas: [Double]?
  var identities: [Int]?
  var categories: [Int]?
  var ignore: [Bool]?
  var crowd: [Bool]?
  var points: [[[Double?]]]?
  var visible: [[UInt8]]?
  var faceAttributes: FaceAttributes?

  /// The tables of format 1 that most datasets lack; NaN is nil.
  struct FaceAttributes: Codable, Equatable {
    var blendshapes: [[Double?]]?
    var blendshape_names: [String]?
    var poses: [[Double?]]?
    var expressions: [String]?
    var attributes: [String: [Double?]]?
    var five: [[[Double?]]]?
    var splits: [String: [Int]]?
  }
}

struct OracleDatasets: Decodable {
  struct File: Decodable {
    let bytes: Int
    let zlib: String
    let seen: SeenDataset?

    func unpacked() throws -> [UInt8] {
      let packed = Array(try #require(Data(base64Encoded: zlib)))
      var length = uLongf(bytes)
      var content = [UInt8](repeating: 0, count: bytes)
      try #require(uncompress(&content, &length, packed, uLong(packed.count)) == Z_OK)
      return content
    }
  }

  let files: [String: File]
  let refused: [String: File]

  static func load() throws -> OracleDatasets {
    try Oracles.read("h5py_dataset")
  }
}

@Suite struct H5pyDatasetTests {
  static let names = [
    "recipe", "defaults", "integers", "pixels", "no_faces", "compressed", "faceAttributes",
    "compressed_v110", "compressed_v200",
  ]
  static let python = LivePython.path
  static let script = Oracles.folder.appending(path: "h5py_dataset.py").path

  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func `every file of the oracle is tested`() throws {
    #expect(try Set(OracleDatasets.load().files.keys) == Set(Self.names))
    #expect(try Set(OracleDatasets.load().refused.keys) == Set(Self.refusals.map(\.name)))
  }

  @Test(arguments: names)
  func `a file by h5py reads as h5py reads it`(name: String) throws {
    let file = try #require(try OracleDatasets.load().files[name])
    let dataset = try DatasetReader(folder.write(file.unpacked(), to: "mine.h5"))
    try expect(dataset, shows: try #require(file.seen))
  }

  static let refusals: [(name: String, message: String)] = [
    (
      "external_storage",
      "cannot read 'images/bytes' in FILE: its values are in other files (external storage), "
        + "which 'h5repack -f GZIP=4 in.h5 out.h5' makes readable"
    ),
    (
      "virtual",
      "cannot read 'faces/box' in FILE: it is a virtual dataset, made of other datasets, "
        + "which 'h5repack -f GZIP=4 in.h5 out.h5' makes readable"
    ),
    (
      "external_link",
      "cannot read 'faces/frame' in FILE: 'faces' is a link into another file"
    ),
    (
      "compound",
      "cannot read 'faces/box' in FILE: expected f64 [1, 4], found a compound type [1]"
    ),
    (
      "unstored_extent",
      "cannot read 'images/size' in FILE: it claims 1000000000000 × 2 values in a file of N bytes"
    ),
  ]

  @Test(arguments: refusals)
  func `a file that points elsewhere or claims too much is refused`(
    name: String, message: String
  ) throws {
    let file = try #require(try OracleDatasets.load().refused[name])
    let url = try folder.write(file.unpacked(), to: "mine.h5")
    let error = #expect(throws: FileError.self) { try DatasetReader(url) }
    let text = error?.description.replacing(url.path, with: "FILE")
      .replacing("of \(file.bytes) bytes", with: "of N bytes")
    #expect(text == message)
    #expect(error?.kind == .wrongData)
  }

  @Test(.enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `h5py runs the recipe of FORMAT and the file opens`() throws {
    let url = folder.file("recipe.h5")
    let result = try ProcessResult(
      running: try #require(Self.python), [Self.script, "write", url.path])
    try #require(result.status == 0, "\(result.errors)")
    let dataset = try DatasetReader(url)
    #expect(dataset.frameCount == 2)
    #expect(try dataset.frames(0..<2).map(\.name) == ["a.jpg", "b ß 顔.jpg"])
    #expect(
      try dataset.labels(0..<2).map { $0.map(\.box) } == [
        [
          BoundingBox(x: 10, y: 20, width: 100, height: 110),
          BoundingBox(x: 300, y: 40, width: 90, height: 95),
        ], [],
      ])
    #expect(try DatasetValidation(of: dataset).findings.isEmpty)
  }

  @Test(.enabled(if: python != nil, "FACEGAUGE_PYTHON names a Python with h5py"))
  func `h5py sees in our file what was put in`() throws {
    let url = folder.file("ours.h5")
    let seen = try WrittenDataset.write(to: url)
    let result = try ProcessResult(
      running: try #require(Self.python), [Self.script, "read", url.path])
    try #require(result.status == 0, "\(result.errors)")
    #expect(
      try JSONDecoder().decode(SeenDataset.self, from: Data(result.output.utf8)) == seen)
  }

  private func expect(_ dataset: DatasetReader, shows seen: SeenDataset) throws {
    let count = seen.sizes.count
    #expect(dataset.name == seen.name ?? "mine")
    #expect(dataset.frameCount == count)
    #expect(dataset.faceCount + dataset.otherObjectCount == seen.boxes.count)
    #expect(dataset.otherObjectCount == seen.categories?.count { $0 != 1 } ?? 0)
    let frames = try dataset.frames(0..<count)
    #expect(frames.map { [$0.size.width, $0.size.height] } == seen.sizes)
    #expect(frames.map(\.name) == seen.names ?? (0..<count).map { "frame \($0)" })
    #expect(frames.map(\.sequence) == seen.frame_sequences ?? Array(0..<count))
    #expect(
      frames.map(\.timestampMicroseconds) == seen.timestamps ?? Array(repeating: 0, count: count))
    #expect(dataset.sequences.map(\.name) == seen.sequence_names ?? [])
    #expect(dataset.sequences.map(\.kind.rawValue) == seen.sequence_kinds ?? [])
    #expect(dataset.sequences.map(\.framesPerSecond) == seen.sequence_fps ?? [])
    #expect(dataset.sequences.map(\.first) == seen.sequence_firsts ?? [])
    #expect(dataset.sequences.map(\.count) == seen.sequence_counts ?? [])
    for frame in 0..<count {
      switch try dataset.image(frame) {
      case .encoded(let bytes):
        #expect(crc32(0, Array(bytes), UInt32(bytes.count)) == seen.images[frame])
      case .pixels(let pixels):
        #expect(crc32(0, pixels.bytes, UInt32(pixels.bytes.count)) == seen.images[frame])
        #expect([pixels.width, pixels.height] == seen.sizes[frame])
      }
    }
    let labels = try dataset.labels(0..<count)
    #expect(labels.enumerated().flatMap { f, l in l.map { _ in f } } == seen.face_frames)
    let faces = labels.flatMap { $0 }
    #expect(faces.map { [$0.box.x, $0.box.y, $0.box.width, $0.box.height] } == seen.boxes)
    #expect(faces.map(\.area) == seen.areas ?? faces.map(\.box.area))
    #expect(faces.map { $0.identity ?? -1 } == seen.identities ?? faces.map { _ in -1 })
    #expect(faces.map(\.category) == seen.categories ?? faces.map { _ in 1 })
    #expect(faces.map(\.isIgnored) == seen.ignore ?? faces.map { _ in false })
    #expect(faces.map(\.isCrowd) == seen.crowd ?? faces.map { _ in false })
    try expect(dataset, faces, show: seen.faceAttributes)
    for (row, face) in faces.enumerated() {
      guard let states = seen.visible?[row], states.contains(where: { $0 != 0 }) else {
        #expect(!face.landmarks.contains { $0.scheme == .ibug68 })
        continue
      }
      let set = try #require(face.landmarks.first { $0.scheme == .ibug68 })
      #expect(set.visibility.map(\.rawValue) == states)
      let points = try #require(seen.points?[row])
      for (point, expected) in zip(set.points, points) where expected[0] != nil {
        #expect([point.x, point.y] == expected)
      }
    }
  }

  private func expect(
    _ dataset: DatasetReader, _ faces: [FaceLabel], show faceAttributes: SeenDataset.FaceAttributes?
  ) throws {
    func numbers(_ values: some Collection<Float>) -> [Double?] {
      values.map { $0.isNaN ? nil : Double($0) }
    }
    let nothing = [Double?](repeating: nil, count: 52)
    for (row, face) in faces.enumerated() {
      #expect(
        numbers(face.blendshapes ?? Array(repeating: .nan, count: 52))
          == faceAttributes?.blendshapes?[row] ?? nothing)
      let matrix = face.pose?.matrix ?? SIMD16(repeating: .nan)
      #expect(
        numbers(matrix.indices.map { matrix[$0] }) == faceAttributes?.poses?[row]
          ?? Array(nothing[..<16]))
      #expect(face.expression ?? "" == faceAttributes?.expressions?[row] ?? "")
      for (name, values) in faceAttributes?.attributes ?? [:] {
        #expect(face.attributes[name] == values[row])
      }
      if let points = faceAttributes?.five?[row], points.contains(where: { $0[0] != nil }) {
        let set = try #require(face.landmarks.first { $0.scheme == .five })
        let depths = try #require(set.depths)
        #expect(zip(set.points, depths).map { [$0.x, $0.y, $1] } == points)
      } else {
        #expect(!face.landmarks.contains { $0.scheme == .five })
      }
    }
    let splits = try dataset.splits.map { ($0.name, try dataset.split($0.name)) }
    #expect(Dictionary(uniqueKeysWithValues: splits) == faceAttributes?.splits ?? [:])
    #expect(dataset.splits.map(\.count) == splits.map(\.1.count))
  }
}
