internal import FaceCore
internal import Foundation

/// A smooth change of the shape of a face in an image, the same for pixels and labels.
///
/// Positions are taken in half sides of the face's box from its centre: u to the right, v down, so that the box spans
/// -1 to 1. It is the box of the 68 points: the forehead is above it.
struct FaceShape: Sendable {
  /// Principal components of how MediaPipe's 478 points of 60 real faces differ, for one standard deviation each.
  ///
  /// The faces look ahead with a closed mouth; their points are aligned with the mean, and each face counts as its
  /// mirror image too. A mode is 16 displacements to the right, then 16 down, in 1e-4 half sides, at `centres`. The
  /// five are 64 % of the squared displacements. Made by Tests/Oracles/live/face_shape_modes.py, which names the images.
  static let modes: [[Double]] = [
    [
      -45, 137, -139, 38, 12, -251, 246, -4,
      -41, 647, -637, 36, -145, 101, -105, 145,
      -195, -140, -136, -194, -125, 6, 3, -123,
      -17, 281, 260, -5, -36, -300, -289, -30,
    ],
    [
      203, -30, 20, -192, 125, 55, -70, -85,
      224, -210, 193, -185, 114, -3, -11, -74,
      -34, -26, -20, -61, -45, -62, -53, -48,
      -21, 0, -5, -17, 58, 268, 287, 69,
    ],
    [
      59, -102, -14, 96, 102, -26, -73, 113,
      219, -193, 41, 120, 352, -61, -98, 97,
      158, -91, -23, -239, 63, 23, 12, 26,
      51, -35, 4, 44, -123, -124, 34, 121,
    ],
    [
      -121, 42, 36, 102, -8, 37, 22, -27,
      -28, -21, 70, -75, 35, 60, -68, -231,
      -103, -83, -116, -89, 172, -21, -4, 88,
      205, -74, -82, 114, 250, -14, -43, 141,
    ],
    [
      -17, 121, -126, 78, 55, -69, 49, 76,
      -85, 337, -326, 148, -222, -130, 1, 258,
      222, 92, 168, 2, 48, -67, -53, -59,
      -2, 35, -39, -36, 10, -41, 102, 1,
    ],
  ]

  /// Where the displacements of a mode are: four rows from the forehead to the chin.
  private static let centres = [-1.2, -0.5, 0.2, 0.9].flatMap { v in
    [-0.9, -0.3, 0.3, 0.9].map { u in Point(x: u, y: v) }
  }
  /// A displacement is 1/e of itself at this distance.
  private static let width = 0.6

  private let centre: Point
  private let halfWidth, halfHeight: Double
  /// In half sides, at `centres`.
  private let displacements: [Point]

  /// A shape with an amount of each mode in standard deviations, for a face that must have an area.
  init(of face: BoundingBox, amounts: [Double]) {
    centre = face.center
    (halfWidth, halfHeight) = (face.width / 2, face.height / 2)
    let count = Self.centres.count
    let sums = (0..<2 * count).map { index in
      zip(amounts, Self.modes).reduce(0) { $0 + $1.0 * $1.1[index] * 1e-4 }
    }
    displacements = (0..<count).map { Point(x: sums[$0], y: sums[count + $0]) }
  }

  /// The position of the original image that is seen at a position of the changed one.
  func source(of point: Point) -> Point {
    let moved = displacement(at: point)
    return Point(x: point.x - moved.x, y: point.y - moved.y)
  }

  /// Where a position of the original image is seen: the inverse of `source`, to 1e-9 pixels.
  func callAsFunction(_ point: Point) -> Point {
    var result = point
    // Displacements differ by less than .6 of what positions differ by, so each step shrinks the error.
    for _ in 0..<80 {
      let moved = displacement(at: result)
      let next = Point(x: point.x + moved.x, y: point.y + moved.y)
      let isThere = abs(next.x - result.x) + abs(next.y - result.y) < 1e-10
      result = next
      if isThere { break }
    }
    return result
  }

  private func displacement(at point: Point) -> Point {
    let (u, v) = ((point.x - centre.x) / halfWidth, (point.y - centre.y) / halfHeight)
    var sum = Point(x: 0, y: 0)
    guard abs(u) < 4, abs(v) < 4 else { return sum }
    for (centre, moved) in zip(Self.centres, displacements) {
      let (x, y) = ((u - centre.x) / Self.width, (v - centre.y) / Self.width)
      let near = exp(-(x * x + y * y))
      sum.x += near * moved.x
      sum.y += near * moved.y
    }
    return Point(x: sum.x * halfWidth, y: sum.y * halfHeight)
  }
}
