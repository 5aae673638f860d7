/// A plane in the world, endless or of a stated extent.
package struct Plane: Sendable, Hashable {
  /// A rectangle on a plane, as that of ARKit's plane anchors.
  package struct Extent: Sendable, Hashable {
    /// Its centre in the world, in metres.
    package var center: SIMD3<Double>
    /// Directions of its sides in the world, each of length 1.
    package var width: SIMD3<Double>, height: SIMD3<Double>
    /// Half of the length of its sides, in metres.
    package var reach: SIMD2<Double>

    /// Makes a rectangle from its centre, the directions of its sides and half of their lengths.
    package init(
      center: SIMD3<Double>, width: SIMD3<Double>, height: SIMD3<Double>, reach: SIMD2<Double>
    ) {
      (self.center, self.width, self.height, self.reach) = (center, width, height, reach)
    }

    /// Whether a point of the plane lies in the rectangle.
    func contains(_ point: SIMD3<Double>) -> Bool {
      let offset = point - center
      return abs(width.dot(offset)) <= reach.x && abs(height.dot(offset)) <= reach.y
    }
  }

  /// A point of it, in metres.
  package var point: SIMD3<Double>
  /// A direction that stands on it, of any length but 0.
  package var normal: SIMD3<Double>
  /// The part of it that is there; nil for all.
  package var extent: Extent?

  /// Makes a plane from a point in metres and a normal.
  package init(point: SIMD3<Double>, normal: SIMD3<Double>, extent: Extent? = nil) {
    self.point = point
    self.normal = normal
    self.extent = extent
  }
}

extension SIMD3<Double> {
  /// The sum of the products of the coordinates.
  func dot(_ other: SIMD3<Double>) -> Double {
    let product = self * other
    return product.x + product.y + product.z
  }
}
