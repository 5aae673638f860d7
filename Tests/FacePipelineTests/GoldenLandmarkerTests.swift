import FaceCore
import FacePipeline
import Foundation
import Imaging
import Profiling
import TestSupport
import Testing

/// The whole pipeline in image mode against MediaPipe 0.10.21 on the golden images.
///
/// Limits are three to four times what engines that sum in another order than XNNPACK were seen to differ by.
@Suite(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
struct GoldenLandmarkerTests {
  /// The blendshapes of a golden image, which `GoldenFaces` leaves out.
  private struct Expressions: Decodable {
    struct Score: Decodable {
      var index: Int
      var name: String
      var score: Float
    }
    struct Results: Decodable {
      var face_blendshapes: [[Score]]
    }
    var face_landmarker: Results
  }

  private static func landmarker(
    _ options: FaceLandmarkerOptions = .everything
  ) throws -> FaceLandmarker {
    try FaceLandmarker(
      FaceLandmarkerModels(detector: .shortRange, from: Shared.bundle), options: options)
  }

  @Test(arguments: GoldenCase.names)
  func `faces are the golden ones in the golden order`(name: String) throws {
    let golden = try GoldenFaces(name)
    let scores = try JSONDecoder().decode(
      Expressions.self, from: Data(Shared.golden("\(name).json"))
    ).face_landmarker.face_blendshapes
    for face in scores { #expect(face.map(\.name) == Blendshape.names) }
    let expected = zip(zip(golden.landmarks, scores), golden.matrices).map {
      GoldenFace(landmarks: $0.0, blendshapes: $0.1.map(\.score), matrix: $1)
    }
    let result = try Self.landmarker().faces(in: GoldenCase.image(name))
    try #require(result.faces.count == expected.count)
    let deviation = FaceDeviation(result.faces, expected)
    #expect(
      deviation.isWithin(xy: 5e-5, z: 1e-4, blendshape: 2e-3, matrix: 5e-3), "\(deviation)")
  }

  /// The input of the landmark model moves with the detector's region, so its outputs have wider limits than from
  /// golden crops: 1e-5 for the region as for detections, 0.02 for the logit.
  @Test(arguments: GoldenCase.names)
  func `detections, regions and presence are the golden ones`(name: String) throws {
    let golden = try GoldenFaces(name)
    let looks = try golden.looks(name)
    let result = try Self.landmarker().faces(in: GoldenCase.image(name))
    #expect(result.detectorRan)
    #expect(result.timestampMicroseconds == nil)
    let deviation = Deviation(result.detections, try GoldenCase(name).landmarkerFaces)
    #expect(result.detections.count == golden.internals.detections_iou0_5.count)
    #expect(deviation.isWithin(1e-5), "\(deviation)")
    let all = result.faces + result.rejected
    try #require(all.count == looks.count)
    for look in looks {
      let face = try #require(
        all.min { $0.region.difference(look.region) < $1.region.difference(look.region) })
      #expect(face.region.difference(look.region) <= 1e-5)
      #expect(!face.isTracked && face.detectionScore != nil)
      #expect(
        abs(face.presenceLogit - look.presenceLogit) <= 0.02,
        "\(face.presenceLogit) for \(look.presenceLogit)")
      #expect(abs(face.presence - 1 / (1 + exp(-face.presenceLogit))) <= 1e-6)
    }
    let next = result.faces.map { NormalizedRect(landmarks: $0.landmarks, size: result.size) }
    let expected = golden.internals.face_rects_next_frame.map(\.region)
    #expect(next.count == expected.count)
    for (region, other) in zip(next, expected) { #expect(region.difference(other) <= 2e-4) }
  }

  @Test func `regions without a face are kept with their scores, apart from the faces`() throws {
    let result = try Self.landmarker().faces(in: GoldenCase.image("2008_007676"))
    #expect(result.faces.isEmpty)
    #expect(result.detections.count == 2)
    #expect(result.rejected.count == 2)
    for face in result.rejected {
      #expect(face.presence < 0.5)
      #expect(face.landmarks.count == 478)
      #expect(face.blendshapes == nil && face.pose == nil)
    }
  }

  /// A presence of exactly the threshold is not enough.
  @Test func `the presence threshold decides who is a face`() throws {
    let image = try GoldenCase.image("2008_007676")
    let presences = try Self.landmarker().faces(in: image).rejected.map(\.presence)
    let highest = try #require(presences.max())
    var options = FaceLandmarkerOptions.everything
    options.minFacePresenceConfidence = Double(highest)
    #expect(try Self.landmarker(options).faces(in: image).faces.isEmpty)
    options.minFacePresenceConfidence = Double(highest.nextDown)
    #expect(try Self.landmarker(options).faces(in: image).faces.count == 1)
  }

  @Test func `the number of faces limits detections and faces, not candidates`() throws {
    let image = try GoldenCase.image("2008_002506")
    let all = try Self.landmarker().faces(in: image)
    var options = FaceLandmarkerOptions()
    options.numFaces = 2
    let two = try Self.landmarker(options).faces(in: image)
    #expect(two.detections == Array(all.detections.prefix(2)))
    #expect(two.faces.map(\.landmarks) == all.faces.prefix(2).map(\.landmarks))
    #expect(two.candidates == all.candidates)
    #expect(two.candidates.allSatisfy { $0.score >= 0.01 })
    #expect(two.faces.allSatisfy { $0.blendshapes == nil && $0.pose == nil })
  }

  private struct Turned: Decodable {
    var image: String
    var np_rot90: Int
    var rotation_degrees: Int
    var landmarks: [[[Float]]]
    var blendshapes: [[Float]]
    var matrixes_rowmajor: [[[Float]]]
  }

  /// The limits are those of upright images.
  @Test func `turned images with their angle have the golden faces`() throws {
    let cases = try JSONDecoder().decode(
      [Turned].self, from: Data(Shared.golden("rotation.json")))
    try #require(cases.map(\.rotation_degrees) == [90, 180, 270, -90, 450])
    let landmarker = try Self.landmarker()
    for turned in cases {
      let image = try GoldenCase.image(String(turned.image.dropLast(4)))
        .turned(quarters: turned.np_rot90)
      let result = try landmarker.faces(
        in: image, rotationDegrees: turned.rotation_degrees)
      let golden = GoldenFace.all(
        turned.landmarks, turned.blendshapes, turned.matrixes_rowmajor)
      #expect(result.faces.count == golden.count)
      let deviation = FaceDeviation(result.faces, golden)
      #expect(
        deviation.isWithin(xy: 5e-5, z: 1e-4, blendshape: 2e-3, matrix: 5e-3),
        "\(turned.rotation_degrees): \(deviation)")
    }
  }

  @Test func `predictions are in pixels and hold what the result does`() throws {
    let result = try Self.landmarker().faces(in: GoldenCase.image("Tom_Cruise_avp_2014_4"))
    let prediction = result.prediction(
      frame: 7, stageNanoseconds: PipelineStage.allCases.map { _ in nil })
    let face = try #require(result.faces.first)
    let predicted = try #require(prediction.faces.first)
    #expect(prediction.frame == 7 && prediction.detectorRan)
    #expect(prediction.size == ImageSize(width: 565, height: 800))
    #expect(prediction.candidates == result.candidates)
    #expect(prediction.detections == result.detections.map { $0.inPixels(of: result.size) })
    #expect(predicted.points[4].x == face.landmarks[4].x * 565)
    #expect(predicted.points[4].y == face.landmarks[4].y * 800)
    #expect(predicted.points[4].z == face.landmarks[4].z * 565)
    #expect(predicted.unsmoothedPoints == predicted.points)
    #expect(predicted.scheme == .mediapipe478)
    #expect(predicted.presence == face.presence && predicted.tongueOut == face.tongueOut)
    #expect(predicted.blendshapes == face.blendshapes && predicted.pose == face.pose)
    #expect(predicted.region == face.region && predicted.detectionScore == face.detectionScore)
  }

  @Test func `stages that ran have times and others have none`() throws {
    let landmarker = try Self.landmarker()
    var timer = StageTimer(stages: PipelineStage.names)
    timer.beginFrame()
    _ = try landmarker.detect(
      try GoldenCase.image("Tom_Cruise_avp_2014_4"), timer: &timer)
    timer.recordTotal(as: PipelineStage.total.rawValue)
    for stage in PipelineStage.allCases {
      let ran = stage != .decode && stage != .smoothing
      #expect((timer.nanoseconds[stage.rawValue] != nil) == ran, "\(stage.name)")
    }
    let total = try #require(timer.nanoseconds[PipelineStage.total.rawValue])
    #expect(total >= timer.nanoseconds.dropLast().reduce(0) { $0 + ($1 ?? 0) })
  }
}
