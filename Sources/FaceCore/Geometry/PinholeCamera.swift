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
  /// camera, beyond the plane's extent, and where a number is not finite.
  package func hit(_ pixel: Point, on plane: Plane) -> SIMD3<Double>? {
    let x = (pixel.x - principalPoint.x) / focalLength.x
    let y = (pixel.y - principalPoint.y) / focalLength.y
    let ray = right * x - up * y - back
    let slope = plane.normal.dot(ray)
    let lengths = (plane.normal.dot(plane.normal) * ray.dot(ray)).squareRoot()
    guard lengths.isFinite, abs(slope) > 1e-9 * lengths else { return nil }
    let distance = plane.normal.dot(plane.point - position) / slope
    let hit = position + ray * distance
    guard distance > 0, hit.x.isFinite, hit.y.isFinite, hit.z.isFinite else { return nil }
    return plane.extent?.contains(hit) ?? true ? hit : nil
  }

  /// Where the ray through a pixel first meets one of some planes, and which; nil where it meets none.
  package func firstHit(
    _ pixel: Point, on planes: [Plane]
  ) -> (point: SIMD3<Double>, plane: Int)? {
    var nearest: (point: SIMD3<Double>, plane: Int, square: Double)?
    for (index, plane) in planes.enumerated() {
      guard let point = hit(pixel, on: plane) else { continue }
      let way = point - position
      let square = way.dot(way)
      if square < nearest?.square ?? .infinity { nearest = (point, index, square) }
    }
    return nearest.map { ($0.point, $0.plane) }
  }
}
