package import FaceCore
internal import Foundation

/// A map of positions in pixels: `(xx * x + xy * y + x0, yx * x + yy * y + y0)`.
///
/// Positions are continuous: the image's corner is (0, 0), and its first pixel's centre (0.5, 0.5).
package struct AffineMap: Sendable, Hashable {
  /// The factors and the offset of the new column.
  package var xx, xy, x0: Double
  /// The factors and the offset of the new row.
  package var yx, yy, y0: Double

  /// Makes a map from its two rows.
  package init(_ x: (Double, Double, Double), _ y: (Double, Double, Double)) {
    (xx, xy, x0) = x
    (yx, yy, y0) = y
  }

  /// The identity.
  package static let identity = AffineMap((1, 0, 0), (0, 1, 0))

  /// A move by pixels.
  package static func translation(x: Double, y: Double) -> AffineMap {
    AffineMap((1, 0, x), (0, 1, y))
  }

  /// What stretches an image of one size to another.
  package static func scaling(from size: ImageSize, to other: ImageSize) -> AffineMap {
    AffineMap(
      (Double(other.width) / Double(size.width), 0, 0),
      (0, Double(other.height) / Double(size.height), 0))
  }

  /// A turn by radians, clockwise as seen, with a uniform scale, both about a fixed point.
  package static func rotation(
    radians: Double, scale: Double = 1, about centre: Point
  ) -> AffineMap {
    let (c, s) = (scale * cos(radians), scale * sin(radians))
    return AffineMap(
      (c, -s, centre.x - c * centre.x + s * centre.y),
      (s, c, centre.y - s * centre.x - c * centre.y))
  }

  /// Maps a position.
  package func callAsFunction(_ point: Point) -> Point {
    Point(x: xx * point.x + xy * point.y + x0, y: yx * point.x + yy * point.y + y0)
  }

  /// The composition of this map, then another.
  package func then(_ next: AffineMap) -> AffineMap {
    AffineMap(
      (
        next.xx * xx + next.xy * yx, next.xx * xy + next.xy * yy,
        next.xx * x0 + next.xy * y0 + next.x0
      ),
      (
        next.yx * xx + next.yy * yx, next.yx * xy + next.yy * yy,
        next.yx * x0 + next.yy * y0 + next.y0
      ))
  }

  /// The inverse, or nil if this map is singular or not finite.
  package var inverse: AffineMap? {
    let determinant = xx * yy - xy * yx
    guard isFinite, determinant != 0, (1 / determinant).isFinite else { return nil }
    let d = 1 / determinant
    return AffineMap(
      (yy * d, -xy * d, (xy * y0 - yy * x0) * d), (-yx * d, xx * d, (yx * x0 - xx * y0) * d))
  }

  var isFinite: Bool { [xx, xy, x0, yx, yy, y0].allSatisfy(\.isFinite) }
}
