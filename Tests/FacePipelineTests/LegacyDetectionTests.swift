import FacePipeline
import Foundation
import TestSupport
import Testing

/// Both ranges against MediaPipe's older face detection on the golden images.
@Suite(
  .enabled(
    if: Shared.isAvailable && PulledModels.areAvailable,
    "needs the shared golden files and the models of 'models pull'"))
struct LegacyDetectionTests {
  private struct Found: Decodable {
    var score: [Float]
    var keypoints: [[Float]]
    var relative_bbox_xywh: [Float]
  }

  private func expected(_ name: String, selection: Int) throws -> [ExpectedFace] {
    let all = try JSONDecoder().decode(
      [String: [Found]].self, from: Data(Shared.golden("legacy_face_detection.json")))
    return try #require(all["\(name)/model_selection=\(selection)"]).map {
      ExpectedFace(
        score: $0.score[0], cornerBox: $0.relative_bbox_xywh, keypoints: $0.keypoints)
    }
  }

  @Test(arguments: GoldenCase.names)
  func `the short range of the wheel finds the same faces within 1e-5`(name: String) throws {
    let detector = FaceDetector(
      try DetectorModel(.blazeFace(.shortRange), from: PulledModels.shortRange))
    let faces = try detector.faces(
      in: GoldenCase.image(name), threshold: 0.5, overlap: 0.3)
    let expected = try expected(name, selection: 0)
    try #require(faces.count == expected.count)
    let deviation = Deviation(faces, expected)
    #expect(deviation.isWithin(1e-5), "\(deviation)")
  }

  /// The older interface keeps its built-in threshold of 0.6 for the full range, whatever is asked for.
  @Test(arguments: GoldenCase.names)
  func `the full range finds the same faces within 1e-5`(name: String) throws {
    let detector = FaceDetector(
      try DetectorModel(.blazeFace(.fullRange), from: PulledModels.folder))
    let faces = try detector.faces(
      in: GoldenCase.image(name), threshold: 0.6, overlap: 0.3)
    let expected = try expected(name, selection: 1)
    try #require(faces.count == expected.count)
    let deviation = Deviation(faces, expected)
    #expect(deviation.isWithin(1e-5), "\(deviation)")
  }
}
