import FaceCore
import FacePipeline
import Foundation
import Imaging
import Platform
import Profiling
import TestSupport
import Testing

/// MediaPipe's models in TensorFlow Lite's own engine, inside our pipeline, against the same pipeline with ours.
///
/// The engines sum in different orders, so the limits are those of our engine against MediaPipe's, which is the same one.
@Suite(
  .enabled(
    if: Shared.isAvailable && LiteRTModel.python != nil,
    "needs the shared golden files and models, and FACEGAUGE_PYTHON"))
struct SecondEngineTests {
  private struct Pair {
    let ours, other: FaceLandmarker

    init(_ options: FaceLandmarkerOptions) throws {
      let models = try FaceLandmarkerModels(
        detector: .shortRange, from: Shared.bundle, engine: LiteRTModel.self)
      try #require(models.plannedModels.isEmpty && models.loaded.count == 4)
      other = try FaceLandmarker(models, options: options)
      ours = try FaceLandmarker(
        FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle), options: options)
    }
  }

  @Test(arguments: GoldenCase.names)
  func `images have the same detections and faces`(name: String) throws {
    let pair = try Pair(.everything)
    let image = try GoldenCase.image(name)
    let (ours, other) = (try pair.ours.faces(in: image), try pair.other.faces(in: image))
    try #require(!ours.detections.isEmpty && other.detections.count == ours.detections.count)
    let detections = Deviation(other.detections, ours.detections.map { ExpectedFace($0) })
    #expect(detections.isWithin(1e-5), "\(detections)")
    #expect(other.rejected.count == ours.rejected.count)
    for (face, twin) in zip(other.faces + other.rejected, ours.faces + ours.rejected) {
      #expect(face.region.difference(twin.region) <= 1e-5)
      #expect(abs(face.presenceLogit - twin.presenceLogit) <= 0.02)
    }
    let faces = FaceDeviation(other.faces, ours.faces.map { GoldenFace($0) })
    print("\(name): \(detections); \(faces)")
    #expect(faces.isWithin(xy: 5e-5, z: 1e-4, blendshape: 2e-3, matrix: 5e-3), "\(faces)")
  }

  @Test(arguments: GoldenClip.names)
  func `clips have the same faces, and the detector runs on the same frames`(name: String) throws {
    let clip = try GoldenClip(name)
    let pair = try Pair(clip.landmarkerOptions)
    var faces = FaceDeviation([], [])
    for (frame, image) in zip(clip.frames, try clip.images()) {
      let ours = try pair.ours.faces(in: image, milliseconds: frame.timestamp_ms)
      let other = try pair.other.faces(in: image, milliseconds: frame.timestamp_ms)
      #expect(other.detectorRan == ours.detectorRan)
      faces.add(other.faces, ours.faces.map { GoldenFace($0) })
    }
    print("\(name): \(faces)")
    #expect(faces.isWithin(xy: 2e-3, z: 2e-3, blendshape: 0.03, matrix: 0.05), "\(faces)")
  }

  @Test func `a file that the engine does not run is refused in one line`() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write([UInt8](repeating: 7, count: 4096), to: "detector.tflite")
    let error = #expect(throws: FileError.self) {
      try DetectorModel(.blazeFace(.shortRange), from: file, engine: LiteRTModel.self)
    }
    #expect(error?.kind == .wrongData)
    #expect(
      error?.description
        == "cannot load blazeface-short-range from \(file.relativePath): no model that TensorFlow Lite runs"
    )
  }
}

extension ExpectedFace {
  fileprivate init(_ face: NormalizedDetection) {
    self.init(
      score: face.score,
      cornerBox: [face.xmin, face.ymin, face.width, face.height],
      keypoints: face.keypoints.map { [$0.x, $0.y] })
  }
}

extension GoldenFace {
  fileprivate init(_ face: LandmarkedFace) {
    self.init(
      landmarks: face.landmarks, blendshapes: face.blendshapes ?? [],
      matrix: face.pose.map { pose in pose.matrix.indices.map { pose.matrix[$0] } } ?? [])
  }
}
