package import FaceCore
internal import Foundation

/// A pinhole camera at the origin that looks along -z, x to the right, y up, in centimetres.
package struct RenderCamera: Sendable, Hashable {
  /// The image, in pixels.
  package let size: ImageSize
  /// In pixels, the same along both axes; the axis meets the image's centre.
  package let focalLength: Double

  /// Makes a camera from its vertical field of view in degrees.
  package init(size: ImageSize, verticalFieldOfViewDegrees: Double) {
    self.size = size
    focalLength = Double(size.height) / 2 / tan(verticalFieldOfViewDegrees / 2 * .pi / 180)
  }

  /// Where a point before the camera is seen, in pixels; meaningless behind it.
  package func project(_ point: SIMD3<Double>) -> Point {
    let scale = focalLength / -point.z
    return Point(
      x: Double(size.width) / 2 + scale * point.x, y: Double(size.height) / 2 - scale * point.y)
  }

  /// The matrix by rows that files hold.
  package var intrinsics: [Double] {
    [
      focalLength, 0, Double(size.width) / 2, 0, focalLength, Double(size.height) / 2, 0, 0, 1,
    ]
  }
}

/// Where a head is before the camera and how it is turned.
package struct HeadPlacement: Sendable, Hashable {
  /// Pitch, yaw and roll in degrees, in the convention of `HeadAngles`.
  package var pitch = 0.0
  /// About the upright axis.
  package var yaw = 0.0
  /// About the axis of the view.
  package var roll = 0.0
  /// The origin of the canonical face before the camera, in centimetres; ahead is -z.
  package var position: SIMD3<Double>

  /// Places an upright head that looks along the camera's axis, so many centimetres ahead.
  package init(distance: Double) {
    position = SIMD3(0, 0, -distance)
  }

  private var turn: [SIMD3<Double>] {
    HeadRotation.rows([
      (axis: 0, radians: -pitch * .pi / 180), (axis: 1, radians: -yaw * .pi / 180),
      (axis: 2, radians: -roll * .pi / 180),
    ])
  }

  /// The label: canonical face to camera.
  package var pose: HeadPose {
    var matrix = SIMD16<Float>(repeating: 0)
    for (row, values) in turn.enumerated() {
      for column in 0..<3 { matrix[4 * row + column] = Float(values[column]) }
      matrix[4 * row + 3] = Float(position[row])
    }
    matrix[15] = 1
    return HeadPose(matrix: matrix)
  }

  /// The mesh of ICT-FaceKit before the camera.
  package func place(_ mesh: [SIMD3<Float>]) -> [SIMD3<Float>] {
    let rows = turn
    let shift = rows.turned(FaceKitLayout.canonicalShift)
    return mesh.map { SIMD3<Float>(rows.turned(SIMD3<Double>($0)) + shift + position) }
  }
}

extension [SIMD3<Double>] {
  /// A point turned by a rotation of these three rows.
  func turned(_ point: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3((self[0] * point).sum(), (self[1] * point).sum(), (self[2] * point).sum())
  }
}
