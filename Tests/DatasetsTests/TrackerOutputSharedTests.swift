import Datasets
import FaceCore
import Foundation
import TestSupport
import Testing

/// What `Tests/Oracles/tracker_outputs.py` found or made, by Python alone.
struct TrackerOutputs: Decodable {
  struct Pose: Decodable {
    let frame: Int
    let matrix: [Float]
  }

  struct File: Decodable {
    let format: String
    let frames: Int
    let faces: Int
    let last: Int64
    let boxes: Double?
    let points: Double?
    let mesh: Double?
    let attributes: Double?
    let scores: Double?
    let angles: Double?
    let shapes: Double?
    let identities: Int?
    let expressions: [String]?
    let poses: [Pose]?
  }

  struct Session: Decodable {
    let text: String
    let poses: [[Float]]
    let box: [Double]
    let mesh: Double
    let eye: [Double]
  }

  struct Observations: Decodable {
    let text: String
    let box: [Double]
    let five: [[Double]?]
  }

  let files: [String: File]
  let arkit: Session
  let vision: Observations

  static func load() throws -> TrackerOutputs { try Oracles.read("tracker_outputs") }
}

/// Public files of other trackers, imported, stored and read back, against Python's sums.
@Suite(.enabled(if: Shared.isAvailable, "FACEGAUGE_SHARED names no folder of data"))
struct TrackerOutputSharedTests {
  static let files = (try? TrackerOutputs.load().files) ?? [:]

  @Test func `there are 18 files of four trackers' formats`() {
    #expect(
      Dictionary(grouping: Self.files.values, by: \.format).mapValues(\.count)
        == ["openface": 1, "pyfeat": 12, "mot": 2, "otb": 3])
  }

  @Test(arguments: files.keys.sorted())
  func `a tracker's public file has the counts and sums that Python finds`(path: String) throws {
    let expected = try #require(Self.files[path])
    let folder = try TemporaryFolder()
    let source = Shared.data(path)
    let format = try DatasetImport.detectFormat(of: [source]).format
    #expect(format.name == expected.format)
    let writer = try DatasetWriter(folder.file("a.h5"), name: "a", replacing: false)
    _ = try DatasetImport(
      format: format, sources: [source], options: ImportOptions(isLabelsOnly: true),
      isStrict: false
    ).run(into: writer, advance: { _ in }, isInterrupted: { false })
    let dataset = try DatasetReader(folder.file("a.h5"))
    #expect(dataset.frameCount == expected.frames && dataset.faceCount == expected.faces)
    #expect(dataset.sequenceCount == 1)
    let frames = try dataset.frames(0..<dataset.frameCount)
    #expect(frames.last?.timestampMicroseconds == expected.last)
    let labels = try dataset.labels(0..<dataset.frameCount)
    let faces = labels.flatMap { $0 }
    // Numbers are stored as f32: each is off by at most 6e-8 of itself.
    func check(_ sum: Double?, _ values: [Double], _ what: String) {
      guard let sum else { return }
      let scale = values.reduce(0) { $0 + abs($1) }
      #expect(abs(values.reduce(0, +) - sum) <= 1e-7 * scale + 1e-9, "\(what)")
    }
    func coordinates(_ scheme: LandmarkScheme) -> [Double] {
      faces.flatMap(\.landmarks).filter { $0.scheme == scheme }
        .flatMap { $0.points.flatMap { [$0.x, $0.y] } }
    }
    check(
      expected.boxes, faces.flatMap { [$0.box.x, $0.box.y, $0.box.width, $0.box.height] }, "box")
    check(expected.points, coordinates(.ibug68), "ibug68")
    check(expected.mesh, coordinates(.mediapipe478), "mesh")
    check(expected.scores, faces.map { $0.score ?? .nan }, "score")
    check(
      expected.angles,
      faces.flatMap { face in
        ["headPitch", "headRoll", "headYaw"].map { face.attributes[$0] ?? .nan }
      }, "angles")
    let others = ["headPitch", "headRoll", "headYaw", "X", "Y", "Z", "valence", "arousal"]
    check(
      expected.attributes,
      faces.flatMap { face in
        face.attributes.filter { name, _ in
          !others.contains(name) && (expected.format == "openface" || !name.hasPrefix("gaze"))
        }.values
      }, "attributes")
    if let shapes = expected.shapes, shapes > 0 {
      check(
        shapes,
        faces.flatMap { face in
          [Blendshape.jawOpen, .neutral].map { Double(face.blendshapes?[$0.index] ?? .nan) }
        }, "blendshapes")
    }
    if let sum = expected.identities { #expect(faces.reduce(0) { $0 + ($1.identity ?? 0) } == sum) }
    if let words = expected.expressions { #expect(faces.map(\.expression) == words) }
    for pose in expected.poses ?? [] {
      let matrix = try #require(labels[pose.frame].first?.pose?.matrix)
      for lane in 0..<16 {
        #expect(abs(matrix[lane] - pose.matrix[lane]) < 2e-5, "frame \(pose.frame), \(lane)")
      }
    }
    #expect(try DatasetValidation(of: dataset).hasErrors == false)
  }

  @Test func `81 frames with 74 rows: images without a row are left out, counted`() throws {
    let read = try readAll(OTBSequence(), [Shared.data("otb-sample/data/Football1")])
    #expect(read.frames.count == 74 && read.frames.allSatisfy { $0.faces.count == 1 })
    #expect(read.frames.last?.name == "Football1/0074.jpg")
    #expect(
      read.remarks == [
        "boxes taken as 1-based (--index-base)", "taken as 30 frames per second (--fps)",
        "lost: Football1: 7 of 81 images have no row of ground truth and are left out",
      ])
  }

  @Test func `MEEM and MUSTer overlap Football1 as the benchmark publishes`() throws {
    let truth = try readAll(OTBSequence(), [Shared.data("otb-sample/data/Football1")]).frames
    for (tracker, published) in [("MEEM", 0.6740), ("MUSTer", 0.5107)] {
      let result = try readAll(
        OTBSequence(), [Shared.data("otb-sample/results/OPE/\(tracker)/Football1.json")]
      ).frames
      #expect(result.map(\.number) == truth.map(\.number))
      let overlaps = zip(truth, result).map { $0.faces[0].box.iou(with: $1.faces[0].box) }
      let mean = overlaps.reduce(0, +) / Double(overlaps.count)
      // Published to four digits, counting a pixel more a side: within 0.01 of the plain overlap.
      #expect(abs(mean - published) < 0.01, "\(tracker): \(mean)")
    }
  }

  @Test func `OpenFace's times of a thousand frames per second are reported`() throws {
    let read = try readAll(OpenFaceCSV(), [Shared.data("pyfeat/feat/tests/data/OpenFace_Test.csv")])
    #expect(
      read.remarks.suffix(2) == [
        "lost: OpenFace_Test: columns left out: 68 of X_, 68 of Y_, 68 of Z_, 40 of p_",
        "OpenFace_Test: times are the file's, about 1000 frames per second",
      ])
  }

  @Test func `Py-Feat's own path of an image is found by its last name`() throws {
    let csv = Shared.data("pyfeat/feat/tests/data/Feat_Test.csv")
    let frame = try #require(try readAll(PyFeatCSV(), [csv]).frames.first)
    #expect(frame.name == "single_face.jpg")
    let image = csv.deletingLastPathComponent().appending(path: "single_face.jpg")
    #expect(frame.image.file?.path == image.path)
  }
}
