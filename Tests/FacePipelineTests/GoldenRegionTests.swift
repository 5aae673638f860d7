import FaceCore
import FacePipeline
import Tensor
import TestSupport
import Testing

/// Regions, projection, presence and pose against the numbers inside MediaPipe on the golden images.
///
/// The arithmetic up to the landmarks is specified to the last bit, so the limit of 1e-6 leaves room only for the way
/// from a golden file's centre to the corner that a detection holds.
@Suite(.enabled(if: Shared.isAvailable, "needs the shared golden files and models"))
struct GoldenRegionTests {
  @Test(arguments: GoldenCase.names)
  func `detections lead to the golden regions within 1e-6`(name: String) throws {
    let golden = try GoldenFaces(name)
    for (detection, (rect, look)) in zip(
      golden.internals.detections_iou0_5,
      zip(golden.internals.face_rects, try golden.looks(name)))
    {
      var values = SIMD16<Float>(repeating: 0)
      (values[0], values[1]) = (rect.x_center, rect.y_center)
      (values[2], values[3]) = (rect.width, rect.height)
      for (k, point) in detection.keypoints.enumerated() {
        (values[4 + 2 * k], values[5 + 2 * k]) = (point[0], point[1])
      }
      let face = try #require(
        NormalizedDetection(
          DetectorCandidate(anchor: 0, score: detection.score[0], regressors: values),
          anchors: [SIMD2()], inputSide: 1))
      let region = NormalizedRect(detection: face, size: golden.size)
      #expect(region.difference(look.region) <= 1e-6)
      #expect(region.rotation == rect.rotation)
    }
  }

  @Test(arguments: GoldenCase.names)
  func `raw landmarks project to the golden ones bit for bit and lead to the next regions`(
    name: String
  ) throws {
    let golden = try GoldenFaces(name)
    let kept = try golden.looks(name).filter {
      LandmarkDecoding.presence(logit: $0.presenceLogit) > 0.5
    }
    try #require(kept.count == golden.landmarks.count)
    for (index, look) in kept.enumerated() {
      let landmarks = LandmarkDecoding.project(
        look.raw.view, inputSide: 256, region: look.region, size: golden.size)
      let deviation = landmarks.difference(golden.landmarks[index])
      #expect(deviation == 0, "landmarks differ by \(deviation)")
      let next = NormalizedRect(landmarks: landmarks, size: golden.size)
      let expected = golden.internals.face_rects_next_frame[index].region
      // The C library's arc tangent is another one on 64-bit ARM: the angle may differ in its last place.
      #if arch(x86_64)
        #expect(next == expected, "next region differs by \(next.difference(expected))")
      #else
        #expect(next.difference(expected) <= expected.rotation.ulp)
      #endif
    }
  }

  /// The limit is that of `FaceGeometryTests`.
  @Test(arguments: GoldenCase.names)
  func `golden landmarks give the golden matrices within 2e-4 cm`(name: String) throws {
    let golden = try GoldenFaces(name)
    let geometry = FaceGeometry(try Shared.canonicalMesh())
    for (landmarks, matrix) in zip(golden.landmarks, golden.matrices) {
      let pose = try #require(geometry.pose(of: landmarks, size: golden.size))
      #expect(pose.difference(matrix) <= 2e-4, "matrix differs by \(pose.difference(matrix))")
    }
  }
}
