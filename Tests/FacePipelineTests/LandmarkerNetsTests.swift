import FaceCore
import FacePipeline
import Foundation
import Imaging
import TestSupport
import Testing

/// The pipeline with some of its models only.
@Suite(.enabled(if: PulledModels.areAvailable, "needs the nets of 'models pull'"))
struct LandmarkerNetsTests {
  private func folder(_ files: URL...) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for file in files {
      try FileManager.default.copyItem(at: file, to: folder.file(file.lastPathComponent))
    }
    return folder
  }

  @Test func `with a detector alone the other stages say which file has their model`() throws {
    let folder = try folder(PulledModels.shortRange)
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: folder.url)
    #expect(nets.landmarks == nil && nets.blendshapes == nil && nets.mesh == nil)
    #expect(nets.absent.map(\.stage) == ["landmarks", "blendshapes", "geometry"])
    #expect(
      nets.absent.map(\.reason) == [
        "no model: face_landmarks_detector.tflite is only in face_landmarker.task, and "
          + "face_landmark_with_attention.tflite is not there",
        "no model: face_blendshapes.tflite is only in face_landmarker.task",
        "no model: geometry_pipeline_metadata_landmarks.binarypb is only in face_landmarker.task",
      ])
    #expect(nets.models.map(\.name) == ["blazeface-short-range"])
  }

  @Test func `without a landmark net the detector still runs on every frame`() throws {
    let folder = try folder(PulledModels.shortRange)
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: folder.url)
    var options = FaceLandmarkerOptions.everything
    options.runningMode = .video
    let landmarker = try FaceLandmarker(nets, options: options)
    let grey = PixelBuffer(width: 64, height: 48, color: RGB(128, 128, 128))
    for time in 0..<3 {
      let result = try landmarker.faces(in: grey, milliseconds: Int64(time))
      #expect(result.detectorRan && result.faces.isEmpty && result.rejected.isEmpty)
    }
  }

  @Test func `a single net is the detector and nothing else`() throws {
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: PulledModels.shortRange)
    #expect(nets.landmarks == nil && nets.absent.count == 3)
    for stage in nets.absent {
      #expect(
        stage.reason == "no model: face_detection_short_range.tflite is a single net, taken for "
          + "the detector")
    }
    let error = #expect(throws: ModelStoreError.self) {
      try FaceLandmarkerNets(
        detector: .shortRange, landmarks: .v2, from: PulledModels.shortRange)
    }
    #expect(
      error?.description == "cannot load face-landmarks-v2: expected a folder or bundle of models, "
        + "found the single net face_detection_short_range.tflite")
  }

  @Test(arguments: LandmarkVariant.allCases)
  func `a landmark net that is asked for must be there`(variant: LandmarkVariant) throws {
    let folder = try folder(PulledModels.shortRange)
    let error = #expect(throws: ModelStoreError.self) {
      try FaceLandmarkerNets(detector: .shortRange, landmarks: variant, from: folder.url)
    }
    #expect(error?.kind == .missing)
    #expect(error?.description.hasPrefix("cannot load \(variant.model.name): ") == true)
  }

  @Test func `a net of other shapes is refused with both`() throws {
    let path = PulledModels.shortRange
    let error = #expect(throws: ModelStoreError.self) { try LandmarkNet(.v2, from: path) }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description
        == "cannot use \(path.relativePath) as face-landmarks-v2: expected input "
        + "[1, 256, 256, 3] and outputs [1, 1, 1, 1434], [1, 1, 1, 1], [1, 1], found "
        + "[[1, 128, 128, 3]] and [[1, 896, 16], [1, 896, 1]]")
    let other = #expect(throws: ModelStoreError.self) { try BlendshapeNet(from: path) }
    #expect(
      other?.description.contains("expected input [1, 146, 2] and output [52], found") == true)
  }

  @Test func `other bytes than the pinned ones are an error, not an absence`() throws {
    let folder = try folder(PulledModels.shortRange)
    _ = try folder.write([1, 2, 3], to: "face_landmark_with_attention.tflite")
    let error = #expect(throws: ModelStoreError.self) {
      try FaceLandmarkerNets(detector: .shortRange, from: folder.url)
    }
    #expect(error?.kind == .wrongData)
  }
}

/// The pipeline with the models of the Python wheel, which has no blendshape net and no mesh.
@Suite(.enabled(if: PulledModels.haveAttention, "needs the landmark net of 'models pull'"))
struct WheelNetsTests {
  @Test func `the attention net runs where there is no bundle`() throws {
    let folder = try TemporaryFolder()
    for file in [PulledModels.shortRange, PulledModels.attention] {
      try FileManager.default.copyItem(at: file, to: folder.file(file.lastPathComponent))
    }
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: folder.url)
    #expect(nets.landmarks?.variant == .attention)
    #expect(nets.absent.map(\.stage) == ["blendshapes", "geometry"])
    #expect(nets.models.map(\.name) == ["blazeface-short-range", "face-landmarks-attention"])
    #expect(nets.models.allSatisfy { $0.isPinned })
  }

  /// The table of the architecture, in millions.
  @Test func `the attention net takes as many multiplications as its architecture has`() throws {
    let net = try LandmarkNet(.attention, from: PulledModels.folder)
    #expect(abs(Double(net.multiplyAccumulates) / 1e6 - 43.48) <= 0.005)
  }

  /// Two nets of one family agree on where a face is, not on its last pixel: 3% of the picture's width is about
  /// a tenth of these faces.
  @Test(
    .enabled(if: Shared.isAvailable, "needs the shared golden files"),
    arguments: ["2008_002506", "2009_004587", "Tom_Cruise_avp_2014_4"])
  func `the attention net finds the faces that the bundle's net does`(name: String) throws {
    let nets = try FaceLandmarkerNets(
      detector: .shortRange, landmarks: .attention, from: PulledModels.folder)
    let result = try FaceLandmarker(nets, options: .everything)
      .faces(in: GoldenCase.picture(name))
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
struct BundleNetsTests {
  @Test func `the bundle has every model, each with its pinned bytes`() throws {
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: Shared.bundle)
    #expect(nets.landmarks?.variant == .v2)
    #expect(nets.absent.isEmpty)
    #expect(nets.models.map(\.stage) == ["detection", "landmarks", "blendshapes", "geometry"])
    #expect(nets.models.allSatisfy { $0.isPinned && $0.sha256.count == 64 })
    #expect(nets.mesh?.vertices.count == 468)
  }

  /// The table of the architectures, in millions.
  @Test func `the nets take as many multiplications as their architectures have`() throws {
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: Shared.bundle)
    let landmarks = try #require(nets.landmarks?.multiplyAccumulates)
    let blendshapes = try #require(nets.blendshapes?.multiplyAccumulates)
    #expect(abs(Double(landmarks) / 1e6 - 112.86) <= 0.005)
    #expect(abs(Double(blendshapes) / 1e6 - 31.83) <= 0.005)
  }

  /// Copies with a saved web page in front are in circulation; members then lie at odd places.
  @Test func `bytes in front of a bundle change nothing`() throws {
    let folder = try TemporaryFolder()
    let bytes = try [UInt8](Data(contentsOf: Shared.bundle))
    let shifted = try folder.write(
      [UInt8](repeating: 0x20, count: 174_813) + bytes, to: "shifted.task")
    let nets = try FaceLandmarkerNets(detector: .shortRange, from: shifted)
    #expect(nets.absent.isEmpty)
    #expect(nets.models.allSatisfy { $0.isPinned })
    let picture = try GoldenCase.picture("Tom_Cruise_avp_2014_4")
    let plain = try FaceLandmarkerNets(detector: .shortRange, from: Shared.bundle)
    let expected = try FaceLandmarker(plain, options: .everything).faces(in: picture)
    #expect(try FaceLandmarker(nets, options: .everything).faces(in: picture) == expected)
  }

  /// The bundle with another name in the place of a member's, where it stands in the archive.
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
    ("face_blendshapes.tflite", "blendshapes"),
    ("geometry_pipeline_metadata_landmarks.binarypb", "geometry"),
  ])
  func `a bundle without one of the later models runs everything else`(
    member: String, stage: String
  ) throws {
    let folder = try TemporaryFolder()
    let nets = try FaceLandmarkerNets(
      detector: .shortRange, from: bundle(renaming: member, in: folder))
    #expect(nets.absent.map(\.stage) == [stage])
    #expect(nets.absent.map(\.reason) == ["no model: \(member) is not in own.task"])
    let result = try FaceLandmarker(nets, options: .everything)
      .faces(in: GoldenCase.picture("Tom_Cruise_avp_2014_4"))
    let face = try #require(result.faces.first)
    #expect((face.blendshapes == nil) == (stage == "blendshapes"))
    #expect((face.pose == nil) == (stage == "geometry"))
  }

  @Test func `a bundle without the detector is refused with the names of its members`() throws {
    let folder = try TemporaryFolder()
    let path = try bundle(renaming: "face_detector.tflite", in: folder)
    let error = #expect(throws: ModelStoreError.self) {
      try FaceLandmarkerNets(detector: .shortRange, from: path)
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
    let place = start + name.count
    bytes.replaceSubrange(place..<place + 64, with: repeatElement(0xFF, count: 64))
    let path = try folder.write(bytes, to: "own.task")
    let error = #expect(throws: ModelStoreError.self) {
      try FaceLandmarkerNets(detector: .shortRange, from: path)
    }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description.hasPrefix(
        "cannot load face-geometry-metadata from \(path.relativePath): cannot read face geometry at "
          + "byte ") == true, "\(error?.description ?? "")")
  }

  @Test func `the attention net is in no bundle`() throws {
    let error = #expect(throws: ModelStoreError.self) {
      try FaceLandmarkerNets(
        detector: .shortRange, landmarks: .attention, from: Shared.bundle)
    }
    #expect(error?.description.hasSuffix("bundles do not have it") == true)
  }
}
