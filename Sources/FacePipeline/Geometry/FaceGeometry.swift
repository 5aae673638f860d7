package import FaceCore
internal import Foundation

/// Finds a head's pose by laying the canonical face over its landmarks, as MediaPipe does.
///
/// The camera sees 63 degrees from top to bottom; screen points are the landmarks on a plane 1 cm before it.
package struct FaceGeometry: Sendable {
  private static let near: Float = 1
  private static let verticalFieldOfView: Float = 63
  /// Faces whose landmarks all lie this close to their mean, as a fraction of the picture, have no pose.
  private static let minSpread: Float = 1e-3

  private let canonical: WeightedProcrustes

  /// Prepares to lay a mesh over faces.
  package init(_ mesh: CanonicalFaceMesh) {
    canonical = WeightedProcrustes(sources: mesh.vertices, weights: mesh.weights)
  }

  /// The head's pose; nil for fewer than 468 landmarks, or ones too compact or degenerate to tell.
  ///
  /// Landmarks are normalised: x and z over the picture's width, y over its height.
  package func pose(of landmarks: [SIMD3<Float>], size: PictureSize) -> HeadPose? {
    guard landmarks.count >= CanonicalFaceMesh.vertexCount else { return nil }
    let points = landmarks.prefix(CanonicalFaceMesh.vertexCount)
    guard Self.spread(of: points) > Self.minSpread else { return nil }

    let screen = Self.screen(points, size: size)
    let depth = screen.reduce(0) { $0 + $1.z } / Float(screen.count)
    guard
      let first = canonical.fit(to: screen.map { SIMD3($0.x, $0.y, -$0.z) }),
      let second = canonical.fit(
        to: Self.unprojected(screen, depth: depth, scale: first.scale)),
      let pose = canonical.fit(
        to: Self.unprojected(screen, depth: depth, scale: first.scale * second.scale))
    else { return nil }
    return HeadPose(matrix: pose.matrix)
  }

  private static func spread(of points: ArraySlice<SIMD3<Float>>) -> Float {
    var mean = SIMD2<Float>()
    for (index, point) in points.enumerated() {
      mean += (SIMD2(point.x, point.y) - mean) / Float(index + 1)
    }
    let farthest = points.reduce(Float(0)) {
      let offset = SIMD2($1.x, $1.y) - mean
      return max($0, offset.x * offset.x + offset.y * offset.y)
    }
    return farthest.squareRoot()
  }

  /// Points on the near plane in centimetres, y up.
  private static func screen(
    _ points: ArraySlice<SIMD3<Float>>, size: PictureSize
  ) -> [SIMD3<Float>] {
    let radians: Float = 0.5 * (3.14159265358979323846 / 180) * verticalFieldOfView
    let height = 2 * near * tanf(radians)
    let width = Float(size.width) * height / Float(size.height)
    return points.map { point in
      SIMD3(
        point.x * width + -0.5 * width, (1 - point.y) * height + -0.5 * height, point.z * width)
    }
  }

  /// Screen points moved to their depth before the camera, which looks along -z.
  private static func unprojected(
    _ screen: [SIMD3<Float>], depth: Float, scale: Float
  ) -> [SIMD3<Float>] {
    screen.map { point in
      let z = (point.z - depth + near) / scale
      return SIMD3(point.x * z / near, point.y * z / near, -z)
    }
  }
}
