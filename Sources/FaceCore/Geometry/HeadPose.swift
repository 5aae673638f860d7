internal import Foundation

/// Where a head is before the camera: canonical face coordinates to camera coordinates.
///
/// Canonical coordinates are centimetres, y up, the face looks along +z. The camera is at the origin with x to
/// the right, y up, and looks along -z.
package struct HeadPose: Sendable, Hashable {
  /// The 4 by 4 matrix by rows: rotation times scale, and the translation in centimetres in the last column.
  package var matrix: SIMD16<Float>

  /// Makes a pose from a matrix by rows.
  package init(matrix: SIMD16<Float>) {
    self.matrix = matrix
  }
}

extension HeadPose {
  /// Vertical field of view of the camera that poses are computed for, in degrees (MediaPipe's environment).
  package static let verticalFieldOfViewDegrees = 63.0

  /// The nose's tip in canonical coordinates, in centimetres: point 4 of MediaPipe's canonical face.
  package static let canonicalNoseTip = SIMD3<Float>(0, -0.463, 7.587)

  /// Where a point of the canonical face is seen in an image, in pixels; nil for one behind the camera.
  ///
  /// `point` is in centimetres. The camera looks at the image's centre, its pixels are square.
  package func project(_ point: SIMD3<Float>, onto size: ImageSize) -> Point? {
    let camera = cameraCoordinates(of: point)
    guard camera.z < 0 else { return nil }
    let height = Double(size.height)
    let focalLength = height / 2 / tan(Self.verticalFieldOfViewDegrees / 2 * .pi / 180)
    let projected = Point(
      x: Double(size.width) / 2 + focalLength * camera.x / -camera.z,
      y: height / 2 - focalLength * camera.y / -camera.z)
    return projected.x.isFinite && projected.y.isFinite ? projected : nil
  }

  /// A point of the canonical face before the camera: centimetres, x right, y up, negative z ahead.
  package func cameraCoordinates(of point: SIMD3<Float>) -> SIMD3<Double> {
    let canonical = SIMD4<Double>(Double(point.x), Double(point.y), Double(point.z), 1)
    func row(_ index: Int) -> Double {
      (0..<4).reduce(0) { $0 + Double(matrix[4 * index + $1]) * canonical[$1] }
    }
    return SIMD3(row(0), row(1), row(2))
  }
}
