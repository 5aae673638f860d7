import FaceCore
import FacePipeline
import Foundation
import Imaging
import Profiling
import TestSupport
import Testing

struct LandmarkerOptionsTests {
  /// MediaPipe's documented defaults.
  @Test func `defaults are MediaPipe's`() throws {
    let options = FaceLandmarkerOptions()
    #expect(options.runningMode == .image && options.compatibility == .standard)
    #expect(options.numFaces == 1)
    #expect(options.minFaceDetectionConfidence == 0.5)
    #expect(options.minFacePresenceConfidence == 0.5)
    #expect(options.minTrackingConfidence == 0.5)
    #expect(!options.outputFaceBlendshapes && !options.outputFacialTransformationMatrixes)
    try options.validate()
  }

  @Test(arguments: [-1, 0])
  func `fewer than one face is refused`(count: Int) {
    var options = FaceLandmarkerOptions()
    options.numFaces = count
    let error = #expect(throws: FaceLandmarkerError.self) { try options.validate() }
    #expect(error?.kind == .invalidOption)
    #expect(
      error?.description
        == "cannot make a face landmarker: expected num-faces from 1 to 1000, "
        + "found \(count)")
  }

  private static let fractions: [String] = [
    "min-face-detection-confidence", "min-face-presence-confidence", "min-tracking-confidence",
    "min-suppression-threshold", "candidateFloor",
  ]

  private func options(_ name: String, _ value: Double) -> FaceLandmarkerOptions {
    var options = FaceLandmarkerOptions()
    switch name {
    case "min-face-detection-confidence": options.minFaceDetectionConfidence = value
    case "min-face-presence-confidence": options.minFacePresenceConfidence = value
    case "min-tracking-confidence": options.minTrackingConfidence = value
    case "min-suppression-threshold": options.minSuppressionThreshold = value
    default: options.candidateFloor = value
    }
    return options
  }

  @Test(arguments: fractions, [-0.001, 1.001, -.infinity, .infinity, .nan])
  func `thresholds out of range are refused`(name: String, value: Double) {
    let error = #expect(throws: FaceLandmarkerError.self) {
      try options(name, value).validate()
    }
    #expect(error?.kind == .invalidOption)
    #expect(
      error?.description
        == "cannot make a face landmarker: expected \(name) from 0 to 1, found \(value)")
  }

  @Test(arguments: fractions, [0, 0.5, 1])
  func `thresholds at both ends of the range are taken`(name: String, value: Double) throws {
    try options(name, value).validate()
  }

  @Test(arguments: [
    (RunningMode.image, 1, Compatibility.standard, false, false),
    (.video, 1, .standard, true, true), (.live, 1, .standard, true, true),
    (.video, 2, .standard, true, false), (.video, 1, .ios, false, false),
    (.live, 1, .ios, false, false),
  ])
  func `modes decide on tracking and smoothing`(
    mode: RunningMode, faces: Int, compatibility: Compatibility, tracks: Bool, smooths: Bool
  ) {
    var options = FaceLandmarkerOptions()
    options.runningMode = mode
    options.numFaces = faces
    options.compatibility = compatibility
    #expect(options.tracks == tracks && options.smooths == smooths)
  }

  /// Sides of a 200 by 100 image that was turned: pixels keep their aspect ratio.
  @Test(arguments: [
    (0, 0, 1.0, 1.0), (90, -0.5, 0.5, 2), (180, -1, 1, 1), (270, -1.5, 0.5, 2),
    (-90, 0.5, 0.5, 2), (450, -2.5, 0.5, 2), (-360, 2, 1, 1),
  ])
  func `a rotation turns the detector's view`(
    degrees: Int, halfTurns: Double, width: Double, height: Double
  ) throws {
    let view = try NormalizedRect(
      detectorViewOf: ImageSize(width: 200, height: 100), rotationDegrees: degrees)
    #expect(view.rotation == Float(halfTurns * .pi))
    #expect(view.xCenter == 0.5 && view.yCenter == 0.5)
    #expect(view.width == Float(width) && view.height == Float(height))
  }

  @Test(arguments: [1, -45, 91, 100])
  func `another angle is refused`(degrees: Int) {
    let error = #expect(throws: FaceLandmarkerError.self) {
      try NormalizedRect(
        detectorViewOf: ImageSize(width: 2, height: 1), rotationDegrees: degrees)
    }
    #expect(
      error?.description
        == "cannot turn the detector's view: expected a multiple of 90 degrees, found \(degrees)")
  }

  @Test func `stages have distinct names in the order of their positions`() {
    #expect(Set(PipelineStage.names).count == PipelineStage.allCases.count)
    #expect(PipelineStage.allCases.map(\.rawValue) == Array(0..<PipelineStage.names.count))
    #expect(PipelineStage.names.first == "decode" && PipelineStage.names.last == "total")
  }
}

/// What needs no more than a detector.
@Suite(.enabled(if: PulledModels.areAvailable, "needs the models of 'models pull'"))
struct LandmarkerCallTests {
  private func landmarker(_ mode: RunningMode) throws -> FaceLandmarker {
    var options = FaceLandmarkerOptions.everything
    options.runningMode = mode
    return try FaceLandmarker(
      FaceLandmarkerModels(detector: .shortRange, from: PulledModels.folder), options: options)
  }

  private let grey = PixelBuffer(width: 64, height: 48, color: RGB(128, 128, 128))

  @Test(arguments: [RunningMode.video, .live])
  func `an image belongs to image mode`(mode: RunningMode) throws {
    let error = #expect(throws: FaceLandmarkerError.self) {
      try landmarker(mode).faces(in: grey)
    }
    #expect(
      error?.description
        == "cannot detect faces in an image: expected running mode image, found \(mode.rawValue)")
  }

  @Test(arguments: [RunningMode.image, .live])
  func `a frame belongs to video mode`(mode: RunningMode) throws {
    let error = #expect(throws: FaceLandmarkerError.self) {
      try landmarker(mode).faces(in: grey, milliseconds: 0)
    }
    #expect(error?.kind == .wrongMode)
    #expect(
      error?.description
        == "cannot detect faces in a frame: expected running mode video, found \(mode.rawValue)")
  }

  @Test(arguments: [(Int64(0), Int64(0)), (-20, -20), (40, 39), (1_000_000, -1)])
  func `time that does not grow is refused`(first: Int64, second: Int64) throws {
    let landmarker = try landmarker(.video)
    _ = try landmarker.faces(in: grey, milliseconds: first)
    let error = #expect(throws: FaceLandmarkerError.self) {
      try landmarker.faces(in: grey, milliseconds: second)
    }
    #expect(error?.kind == .timestamp)
    #expect(
      error?.description
        == "cannot take the frame at \(second * 1000) µs: expected monotonically increasing "
        + "timestamps, so one above \(first * 1000) µs, found \(second * 1000) µs")
    #expect(try landmarker.faces(in: grey, milliseconds: first + 1).detectorRan)
  }

  @Test func `options are evaluated when a landmarker is made`() throws {
    let models = try FaceLandmarkerModels(detector: .shortRange, from: PulledModels.folder)
    var options = FaceLandmarkerOptions()
    options.minTrackingConfidence = -0.1
    #expect(throws: FaceLandmarkerError.self) { try FaceLandmarker(models, options: options) }
    #expect(throws: FaceLandmarkerError.self) {
      try LiveFaceLandmarker(models, options: options, resultListener: { _ in }, ended: {})
    }
  }

  @Test func `an image without faces has an empty result`() throws {
    let result = try landmarker(.image).faces(in: grey)
    #expect(result.detectorRan && result.detections.isEmpty)
    #expect(result.faces.isEmpty && result.rejected.isEmpty)
    #expect(result.size == ImageSize(width: 64, height: 48))
  }

  @Test(arguments: [RunningMode.image, .video])
  func `an empty image is refused`(mode: RunningMode) throws {
    #expect(throws: ImageError.self) {
      let landmarker = try landmarker(mode)
      return mode == .image
        ? try landmarker.faces(in: PixelBuffer())
        : try landmarker.faces(in: PixelBuffer(), milliseconds: 1)
    }
  }

  @Test
  func `an angle that is no multiple of 90 degrees is refused before the image is looked at`()
    throws
  {
    #expect(throws: FaceLandmarkerError.self) {
      try landmarker(.image).faces(in: grey, rotationDegrees: 30)
    }
  }
}
