/// A camera in the world as ARKit has it: it looks along its -z, y up, x to the right of the image.
///
/// Images are as captured; their pixels are counted from the top-left corner, y down.
package struct PinholeCamera: Sendable, Hashable {
  /// Where the camera is, in metres in the world.
  package var position: SIMD3<Double>
  /// The camera's x axis in the world, to the right of the image.
  package var right: SIMD3<Double>
  /// The camera's y axis in the world, up in the image.
  package var up: SIMD3<Double>
  /// The camera's z axis in the world, away from what it looks at.
  package var back: SIMD3<Double>
  /// Focal lengths along x and y, in pixels.
  package var focalLength: SIMD2<Double>
  /// Where the camera's axis meets the image, in pixels.
  package var principalPoint: Point

  /// Makes a camera from the columns of its transform to the world and its intrinsics in pixels.
  package init(
    position: SIMD3<Double>, right: SIMD3<Double>, up: SIMD3<Double>, back: SIMD3<Double>,
    focalLength: SIMD2<Double>, principalPoint: Point
  ) {
    self.position = position
    self.right = right
    self.up = up
    self.back = back
    self.focalLength = focalLength
    self.principalPoint = principalPoint
  }

  /// Where the ray through a pixel meets a plane, in metres in the world; nil where it does not.
  ///
  /// It does not where plane and ray are parallel, to within a sine of 1e-9, where the plane is at or behind the
  /// camera, and where a number is not finite.
  package func hit(_ pixel: Point, on plane: Plane) -> SIMD3<Double>? {
    let x = (pixel.x - principalPoint.x) / focalLength.x
    let y = (pixel.y - principalPoint.y) / focalLength.y
    let ray = right * x - up * y - back
    let slope = plane.normal.dot(ray)
    let lengths = (plane.normal.dot(plane.normal) * ray.dot(ray)).squareRoot()
    guard lengths.isFinite, abs(slope) > 1e-9 * lengths else { return nil }
    let distance = plane.normal.dot(plane.point - position) / slope
    let hit = position + ray * distance
    return distance > 0 && hit.x.isFinite && hit.y.isFinite && hit.z.isFinite ? hit : nil
  }
}

/// An endless plane in the world.
package struct Plane: Sendable, Hashable {
  /// A point of it, in metres.
  package var point: SIMD3<Double>
  /// A direction that stands on it, of any length but 0.
  package var normal: SIMD3<Double>

  /// Makes a plane from a point in metres and a normal.
  package init(point: SIMD3<Double>, normal: SIMD3<Double>) {
    self.point = point
    self.normal = normal
  }
}

extension SIMD3<Double> {
  /// The sum of the products of the coordinates.
  fileprivate func dot(_ other: SIMD3<Double>) -> Double {
    let product = self * other
    return product.x + product.y + product.z
  }
}
