package import FaceCore
internal import Foundation

/// Finds a head's pose by laying the canonical face over its landmarks, as MediaPipe does.
///
/// The camera sees 63 degrees from top to bottom; screen points are the landmarks on a plane 1 cm before it.
package struct FaceGeometry: Sendable {
  private static let near: Float = 1
  private static let verticalFieldOfView: Float = 63
  /// Faces whose landmarks all lie this close to their mean, as a fraction of the image, have no pose.
  private static let minSpread: Float = 1e-3

  private let canonical: WeightedProcrustes

  /// Prepares to lay a mesh over faces.
  package init(_ mesh: CanonicalFaceMesh) {
    canonical = WeightedProcrustes(sources: mesh.vertices, weights: mesh.weights)
  }

  /// The head's pose; nil for fewer than 468 landmarks, or ones too compact or degenerate to tell.
  ///
  /// Landmarks are normalised: x and z over the image's width, y over its height.
  package func pose(of landmarks: [SIMD3<Float>], size: ImageSize) -> HeadPose? {
    guard landmarks.count >= CanonicalFaceMesh.vertexCount else { return nil }
    let points = landmarks.prefix(CanonicalFaceMesh.vertexCount)
    guard Self.spread(of: points) > Self.minSpread else { return nil }

    let screen = Screen(size)
    let depth = points.reduce(Float(0)) { $0 + screen.point($1).z } / Float(points.count)
    /// A point moved to its depth before the camera, which looks along -z.
    func unprojected(_ index: Int, scale: Float) -> SIMD3<Float> {
      let point = screen.point(landmarks[index])
      let z = (point.z - depth + Self.near) / scale
      return SIMD3(point.x * z / Self.near, point.y * z / Self.near, -z)
    }
    guard
      let first = canonical.fit(to: { screen.point(landmarks[$0]) * SIMD3(1, 1, -1) }),
      let second = canonical.fit(to: { unprojected($0, scale: first.scale) }),
      let pose = canonical.fit(to: { unprojected($0, scale: first.scale * second.scale) })
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

  /// The near plane, in centimetres, y up.
  private struct Screen {
    let width: Float
    let height: Float

    init(_ size: ImageSize) {
      let radians: Float = 0.5 * (3.14159265358979323846 / 180) * verticalFieldOfView
      height = 2 * near * tanf(radians)
      width = Float(size.width) * height / Float(size.height)
    }

    func point(_ landmark: SIMD3<Float>) -> SIMD3<Float> {
      SIMD3(
        landmark.x * width + -0.5 * width, (1 - landmark.y) * height + -0.5 * height,
        landmark.z * width)
    }
  }
}
