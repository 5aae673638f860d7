import FaceCore
import Foundation
import Metrics
import TestSupport
import Testing

@Suite("Where a scheme's eyes, corners and parts are")
struct LandmarkLayoutTests {
  private struct Labels: Decodable {
    struct Face: Decodable {
      var keypoints: [Double]
    }
    var annotations: [Face]
  }

  private static let known: [LandmarkScheme] = [
    .ibug68, .wflw98, .cofw29, .five, .lapa106, .aflw21, .aflw19, .mediapipe478, .dlib5,
    .blazeface6, .facepp83,
    .helen194,
  ]

  @Test(arguments: known)
  func `every index is one of the scheme's points, and no point is in two parts`(
    scheme: LandmarkScheme
  ) throws {
    let layout = try #require(LandmarkLayout.of(scheme))
    let parts = layout.parts.values.flatMap(\.self)
    #expect(Set(parts).count == parts.count)
    let all =
      parts + layout.anchors + layout.leftEye + layout.rightEye
      + [layout.leftOuterCorner, layout.rightOuterCorner].compactMap { $0 }
    #expect(all.allSatisfy { (0..<scheme.count).contains($0) })
    let withoutAnchors: [LandmarkScheme] = [
      .five, .aflw21, .aflw19, .dlib5, .blazeface6, .helen194,
    ]
    #expect(layout.anchors.count == (withoutAnchors.contains(scheme) ? 0 : 7))
    let withoutCorners: [LandmarkScheme] = [.five, .blazeface6, .helen194]
    #expect((layout.leftOuterCorner == nil) == withoutCorners.contains(scheme))
    #expect(layout.leftOuterCorner.map(layout.leftEye.contains) != false)
    #expect(layout.rightOuterCorner.map(layout.rightEye.contains) != false)
    if scheme != .mediapipe478 { #expect(Set(parts) == Set(0..<scheme.count)) }
  }

  /// In a near-frontal, upright face the anchors have one arrangement whatever the scheme.
  @Test(
    .enabled(if: Shared.isAvailable, "needs FACEGAUGE_SHARED"),
    arguments: [(LandmarkScheme.wflw98, "wflw/test_wflw.json"), (.cofw29, "cofw/test_cofw.json")])
  func `the labels that WFLW and COFW publish have their corners where the layout has them`(
    scheme: LandmarkScheme, file: String
  ) throws {
    let layout = try #require(LandmarkLayout.of(scheme))
    let data = try Data(contentsOf: Shared.data("mmpose-face/\(file)"))
    let faces = try JSONDecoder().decode(Labels.self, from: data).annotations
    #expect(!faces.isEmpty)
    for face in faces {
      func at(_ index: Int) -> Point {
        Point(x: face.keypoints[3 * index], y: face.keypoints[3 * index + 1])
      }
      func centre(_ eye: [Int]) -> Point {
        let points = eye.map(at)
        return Point(
          x: points.map(\.x).reduce(0, +) / Double(eye.count),
          y: points.map(\.y).reduce(0, +) / Double(eye.count))
      }
      let left = at(try #require(layout.leftOuterCorner))
      let right = at(try #require(layout.rightOuterCorner))
      #expect(
        left.x < centre(layout.leftEye).x && centre(layout.leftEye).x < centre(layout.rightEye).x)
      #expect(centre(layout.rightEye).x < right.x)
      let (mouthLeft, mouthRight) = (at(layout.anchors[3]), at(layout.anchors[4]))
      let (nose, lip, chin) = (
        at(layout.anchors[2]), at(layout.anchors[5]), at(layout.anchors[6])
      )
      #expect(mouthLeft.x < mouthRight.x && max(left.y, right.y) < nose.y)
      #expect(nose.y < lip.y && lip.y < chin.y)
    }
  }
}
