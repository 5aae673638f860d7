import FaceCore
import FacePipeline
import Foundation
import Imaging
import Platform
import TFLite
import TestSupport
import Testing

/// The pipeline with some of its models only.
@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct LandmarkerModelsTests {
  private func folder(_ files: URL...) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for file in files {
      try FileManager.default.copyItem(at: file, to: folder.file(file.lastPathComponent))
    }
    return folder
  }

  @Test func `with a detector alone the other stages name the file that has their model`() throws {
    let folder = try folder(PulledModels.shortRange)
    let models = try FaceLandmarkerModels(detector: .shortRange, from: folder.url)
    #expect(models.landmarks == nil && models.blendshapes == nil && models.mesh == nil)
    #expect(models.absent.map(\.stage) == [.landmarks, .blendshapes, .geometry])
    #expect(
      models.absent.map(\.reason) == [
        "no model: face_landmarks_detector.tflite is only in face_landmarker.task, and "
          + "face_landmark_with_attention.tflite is not there",
        "no model: face_blendshapes.tflite is only in face_landmarker.task",
        "no model: geometry_pipeline_metadata_landmarks.binarypb is only in face_landmarker.task",
      ])
    #expect(models.loaded.map(\.name) == ["blazeface-short-range"])
  }

  @Test func `without a landmark model the detector still runs on every frame`() throws {
    let folder = try folder(PulledModels.shortRange)
    let models = try FaceLandmarkerModels(detector: .shortRange, from: folder.url)
    var options = FaceLandmarkerOptions.everything
    options.runningMode = .video
    let landmarker = try FaceLandmarker(models, options: options)
    let grey = PixelBuffer(width: 64, height: 48, color: RGB(128, 128, 128))
    for time in 0..<3 {
      let result = try landmarker.faces(in: grey, milliseconds: Int64(time))
      #expect(result.detectorRan && result.faces.isEmpty && result.rejected.isEmpty)
    }
  }

  @Test func `a single model is the detector and nothing else`() throws {
    let models = try FaceLandmarkerModels(detector: .shortRange, from: PulledModels.shortRange)
    #expect(models.landmarks == nil && models.absent.count == 3)
    for stage in models.absent {
      #expect(
        stage.reason == "no model: face_detection_short_range.tflite is a single model, taken for "
          + "the detector")
    }
    let error = #expect(throws: FileError.self) {
      try FaceLandmarkerModels(
        detector: .shortRange, landmarks: .v2, from: PulledModels.shortRange)
    }
    #expect(
      error?.description == "cannot load face-landmarks-v2: expected a folder or bundle of models, "
        + "found the single model face_detection_short_range.tflite")
  }

  @Test(arguments: LandmarkVariant.allCases)
  func `a landmark model that is asked for must be there`(variant: LandmarkVariant) throws {
    let folder = try folder(PulledModels.shortRange)
    let error = #expect(throws: FileError.self) {
      try FaceLandmarkerModels(detector: .shortRange, landmarks: variant, from: folder.url)
    }
    #expect(error?.kind == .missing)
    #expect(error?.description.hasPrefix("cannot load \(variant.model.name): ") == true)
  }

  @Test func `a model of other shapes is refused with both`() throws {
    let path = PulledModels.shortRange
    let error = #expect(throws: FileError.self) {
      try LandmarkModel(.mediaPipe(.v2), from: path)
    }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description
        == "cannot use \(path.relativePath) as face-landmarks-v2: expected input "
        + "[1, 256, 256, 3] and outputs [1, 1, 1, 1434], [1, 1, 1, 1], [1, 1], found "
        + "[[1, 128, 128, 3]] and [[1, 896, 16], [1, 896, 1]]")
    let other = #expect(throws: FileError.self) { try BlendshapeModel(from: path) }
    #expect(
      other?.description.contains("expected input [1, 146, 2] and output [52], found") == true)
  }

  @Test func `other bytes than the pinned ones are an error, not an absence`() throws {
    let folder = try folder(PulledModels.shortRange)
    _ = try folder.write([1, 2, 3], to: "face_landmark_with_attention.tflite")
    let error = #expect(throws: FileError.self) {
      try FaceLandmarkerModels(detector: .shortRange, from: folder.url)
    }
    #expect(error?.kind == .wrongData)
  }
}

/// The pipeline with the models of MediaPipe's Python wheel alone.
@Suite(.enabled(if: PulledModels.haveAttention, "needs the landmark model of 'models pull'"))
struct WheelModelsTests {
  @Test func `the attention model runs where there is no bundle`() throws {
    let folder = try TemporaryFolder()
    for file in [PulledModels.shortRange, PulledModels.attention] {
      try FileManager.default.copyItem(at: file, to: folder.file(file.lastPathComponent))
    }
    let models = try FaceLandmarkerModels(detector: .shortRange, from: folder.url)
    #expect(models.landmarks?.variant == .attention)
    #expect(models.loaded.map(\.name) == ["blazeface-short-range", "face-landmarks-attention"])
    #expect(models.loaded.allSatisfy { $0.isPinned && $0.sha256.count == 64 })
    #expect(
      models.absent.map { "\($0.stage): \($0.reason)" } == [
        "blendshapes: no model: face_blendshapes.tflite is only in face_landmarker.task",
        "geometry: no model: geometry_pipeline_metadata_landmarks.binarypb is only in "
          + "face_landmarker.task",
      ])
    #expect(models.blendshapes == nil && models.mesh == nil)
  }

  @Test func `a head that the user names runs in place of any other`() throws {
    let folder = try TemporaryFolder()
    for file in [PulledModels.shortRange, PulledModels.attention] {
      try FileManager.default.copyItem(at: file, to: folder.file(file.lastPathComponent))
    }
    var (head, _) = try BlendshapeHead.file(Oracles.folder.appending(path: "expected/head.json"))
    head.channels = head.channels.filter { $0.name == "jawOpen" }
    let file = try folder.write(head.json(), to: "head.json")
    let models = try FaceLandmarkerModels(
      detector: .shortRange, blendshapes: file, from: folder.url)
    #expect(
      models.loaded.map(\.name) == [
        "blazeface-short-range", "face-landmarks-attention", "blendshape-head",
      ])
    let missing = #expect(throws: FileError.self) {
      try FaceLandmarkerModels(
        detector: .shortRange, blendshapes: folder.file("none.json"), from: folder.url)
    }
    #expect(missing?.kind == .notFound)
  }

  /// The table of the architecture, in millions.
  @Test func `the attention model takes as many multiplications as its architecture has`() throws {
    let models = try FaceLandmarkerModels(
      detector: .shortRange, landmarks: .attention, from: PulledModels.folder)
    let count = models.plannedModels[1].model.multiplyAccumulates
    #expect(abs(Double(count) / 1e6 - 43.48) <= 0.005)
  }

  /// Two models of one family agree on where a face is, not on its last pixel: 3% of the image's width is about
  /// a tenth of these faces.
  @Test(
    .enabled(if: Shared.isAvailable, "needs the shared golden files"),
    arguments: ["2008_002506", "2009_004587", "Tom_Cruise_avp_2014_4"])
  func `the attention model finds the faces that the bundle's model does`(name: String) throws {
    let models = try FaceLandmarkerModels(
      detector: .shortRange, landmarks: .attention, from: PulledModels.folder)
    let result = try FaceLandmarker(models, options: .everything)
      .faces(in: GoldenCase.image(name))
    let golden = try GoldenFaces(name)
    try #require(result.faces.count == golden.landmarks.count)
    for (face, landmarks) in zip(result.faces, golden.landmarks) {
      #expect(face.landmarks.count == 478)
      #expect(face.tongueOut == nil)
      let worst = zip(face.landmarks, landmarks).reduce(Float(0)) {
        max($0, abs($1.0.x - $1.1.x), abs($1.0.y - $1.1.y))
      }
      #expect(worst <= 0.03, "\(worst)")
      #expect(
        abs(
          face.region.width * Float(result.size.width)
            - face.region.height * Float(result.size.height)) <= 1e-2)
    }
  }
}

@Suite(.enabled(if: Shared.isAvailable, "needs the shared models"))
struct BundleModelsTests {
  @Test func `the bundle has every model, each with its pinned bytes`() throws {
    let models = try FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle)
    #expect(models.landmarks?.variant == .v2)
    #expect(models.absent.isEmpty)
    #expect(models.loaded.map(\.stage) == [.detection, .landmarks, .blendshapes, .geometry])
    #expect(models.loaded.allSatisfy { $0.isPinned && $0.sha256.count == 64 })
    #expect(models.mesh?.vertices.count == 468)
  }

  /// The table of the architectures, in millions.
  @Test func `the models take as many multiplications as their architectures have`() throws {
    let models = try FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle)
    let counts = models.plannedModels.map(\.model.multiplyAccumulates)
    try #require(counts.count == 3)
    #expect(abs(Double(counts[1]) / 1e6 - 112.86) <= 0.005)
    #expect(abs(Double(counts[2]) / 1e6 - 31.83) <= 0.005)
  }

  /// Copies with a saved web page in front are in circulation; members then lie at odd positions.
  @Test func `bytes in front of a bundle change nothing`() throws {
    let folder = try TemporaryFolder()
    let bytes = try [UInt8](Data(contentsOf: Shared.bundle))
    let shifted = try folder.write(
      [UInt8](repeating: 0x20, count: 174_813) + bytes, to: "shifted.task")
    let models = try FaceLandmarkerModels(detector: .shortRange, from: shifted)
    #expect(models.absent.isEmpty)
    #expect(models.loaded.allSatisfy { $0.isPinned })
    let image = try GoldenCase.image("Tom_Cruise_avp_2014_4")
    let plain = try FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle)
    let expected = try FaceLandmarker(plain, options: .everything).faces(in: image)
    #expect(try FaceLandmarker(models, options: .everything).faces(in: image) == expected)
  }

  /// The bundle with a member renamed wherever the archive contains its name.
  private func bundle(renaming member: String, in folder: TemporaryFolder) throws -> URL {
    var bytes = try [UInt8](Data(contentsOf: Shared.bundle))
    let name = Array(member.utf8)
    var found = 0
    for start in bytes.indices.dropLast(name.count)
    where bytes[start] == name[0] && bytes[start..<start + name.count].elementsEqual(name) {
      bytes[start] = UInt8(ascii: "_")
      found += 1
    }
    try #require(found >= 2)
    return try folder.write(bytes, to: "own.task")
  }

  @Test(arguments: [
    ("face_blendshapes.tflite", PipelinePart.blendshapes),
    ("geometry_pipeline_metadata_landmarks.binarypb", .geometry),
  ])
  func `a bundle without one of the later models runs without that stage, and says so`(
    member: String, stage: PipelinePart
  ) throws {
    let folder = try TemporaryFolder()
    let models = try FaceLandmarkerModels(
      detector: .shortRange, from: bundle(renaming: member, in: folder))
    #expect(
      models.absent.map { "\($0.stage): \($0.reason)" } == [
        "\(stage): no model: \(member) is not in own.task"
      ])
    let result = try FaceLandmarker(models, options: .everything)
      .faces(in: GoldenCase.image("Tom_Cruise_avp_2014_4"))
    let face = try #require(result.faces.first)
    #expect((face.blendshapes?.isEmpty ?? true) == (stage == .blendshapes))
    #expect((face.pose == nil) == (stage == .geometry))
  }

  @Test func `a bundle without the detector is refused with the names of its members`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(renaming: "face_detector.tflite", in: folder)
    let error = #expect(throws: FileError.self) {
      try FaceLandmarkerModels(detector: .shortRange, from: path)
    }
    #expect(error?.kind == .missing)
    #expect(error?.description.contains("no file 'face_detector.tflite'") == true)
    #expect(error?.description.contains("face_blendshapes.tflite") == true)
  }

  @Test func `a damaged geometry is refused with the bundle's name`() throws {
    let folder = try TemporaryFolder()
    var bytes = try [UInt8](Data(contentsOf: Shared.bundle))
    let name = Array("geometry_pipeline_metadata_landmarks.binarypb".utf8)
    let start = try #require(
      bytes.indices.dropLast(name.count).first {
        bytes[$0] == name[0] && bytes[$0..<$0 + name.count].elementsEqual(name)
      })
    let position = start + name.count
    bytes.replaceSubrange(position..<position + 64, with: repeatElement(0xFF, count: 64))
    let path = try folder.write(bytes, to: "own.task")
    let error = #expect(throws: FileError.self) {
      try FaceLandmarkerModels(detector: .shortRange, from: path)
    }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description.hasPrefix(
        "cannot load face-geometry-metadata from \(path.relativePath): cannot read face geometry at "
          + "byte ") == true, "\(error?.description ?? "")")
  }

  @Test func `the attention model is in no bundle`() throws {
    let error = #expect(throws: FileError.self) {
      try FaceLandmarkerModels(
        detector: .shortRange, landmarks: .attention, from: Shared.bundle)
    }
    #expect(error?.description.hasSuffix("bundles do not have it") == true)
  }
}
