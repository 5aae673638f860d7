import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct HeadPoseProjectionTests {
  private struct Oracle: Decodable {
    struct Face: Decodable {
      let image: String
      let size: [Int]
      let matrix: [Float]
      let points: [String: [Double]]
      let landmark4: [Double]
      let interocular: Double
    }
    let faces: [Face]
  }

  private static let ends: [String: SIMD3<Float>] = [
    "tip": .zero, "x": SIMD3(6, 0, 0), "y": SIMD3(0, 6, 0), "z": SIMD3(0, 0, 6),
  ]

  /// The matrices are single precision on both sides, the rest double: a thousandth of a pixel is far above
  /// the rounding of canonical coordinates to single precision.
  @Test func `axes are seen where a perspective matrix in NumPy puts them`() throws {
    let faces = try Oracles.read("pose_axes", as: Oracle.self).faces
    #expect(faces.count == 6)
    for face in faces {
      let pose = HeadPose(matrix: SIMD16(face.matrix))
      let size = ImageSize(width: face.size[0], height: face.size[1])
      for (name, offset) in Self.ends {
        let seen = try #require(pose.project(HeadPose.canonicalNoseTip + offset, onto: size))
        let expected = try #require(face.points[name])
        #expect(
          hypot(seen.x - expected[0], seen.y - expected[1]) < 1e-3, "\(face.image) \(name)")
      }
    }
  }

  /// The pose is a rigid fit, so the tip is not exactly the landmark: a quarter of the eyes' distance.
  @Test func `the nose of the pose is near the nose of the mesh`() throws {
    for face in try Oracles.read("pose_axes", as: Oracle.self).faces {
      let seen = try #require(
        HeadPose(matrix: SIMD16(face.matrix)).project(
          HeadPose.canonicalNoseTip,
          onto: ImageSize(width: face.size[0], height: face.size[1])))
      let gap = hypot(seen.x - face.landmark4[0], seen.y - face.landmark4[1])
      #expect(gap < face.interocular / 4, "\(face.image)")
    }
  }

  @Test func `a head straight ahead is seen at the centre, upright`() throws {
    var matrix = SIMD16<Float>(repeating: 0)
    for diagonal in [0, 5, 10, 15] { matrix[diagonal] = 1 }
    matrix[11] = -50
    let size = ImageSize(width: 640, height: 480)
    let pose = HeadPose(matrix: matrix)
    #expect(pose.project(.zero, onto: size) == Point(x: 320, y: 240))
    let right = try #require(pose.project(SIMD3(5, 0, 0), onto: size))
    let up = try #require(pose.project(SIMD3(0, 5, 0), onto: size))
    #expect(right.x > 320 && right.y == 240)
    #expect(up.x == 320 && up.y < 240)
    // At a depth of 50 cm the image is 2 · 50 · tan 31.5° high.
    #expect(abs(240 - up.y - 480 * 5 / (100 * 0.612800788)) < 1e-6)
  }

  @Test(arguments: [0, 1, Float.nan, .infinity])
  func `a point level with or behind the camera is not seen`(depth: Float) {
    var matrix = SIMD16<Float>(repeating: 0)
    for diagonal in [0, 5, 10, 15] { matrix[diagonal] = 1 }
    matrix[11] = depth
    #expect(
      HeadPose(matrix: matrix).project(.zero, onto: ImageSize(width: 64, height: 48)) == nil)
  }
}
