internal import FaceCore
internal import Foundation

/// A smooth change of the shape of a face in an image, the same for pixels and labels.
///
/// Positions are taken in half sides of the face's box from its centre: u to the right, v down, so that the box spans
/// -1 to 1. The change fades out around the face: `exp(-((u² + v²) / 3.24)²)`.
struct FaceShape: Sendable {
  /// A way in which faces differ; its amount is in half sides of the box.
  enum Mode: Int, CaseIterable {
    /// The face is wider.
    case width
    /// It is longer.
    case length
    /// It is wide above and narrow below.
    case taper
    /// The eyes are further apart.
    case eyeDistance
    /// The eyes and brows are lower.
    case eyeHeight
    /// The nose is longer.
    case noseLength
    /// The mouth is wider.
    case mouthWidth
    /// The mouth is lower.
    case mouthHeight
    /// The lower half is shifted to the right.
    case asymmetry

    /// How far the amounts of people spread: a choice, not a statistic of real faces.
    var standardDeviation: Double {
      switch self {
      case .width, .length: 0.05
      case .taper, .eyeDistance, .mouthWidth: 0.04
      case .eyeHeight, .noseLength, .mouthHeight: 0.03
      case .asymmetry: 0.015
      }
    }

    /// The displacement of a position for an amount of 1.
    fileprivate func displacement(u: Double, v: Double) -> (u: Double, v: Double) {
      /// 1 at a place of the face, and less with the distance from it.
      func near(_ centre: Double, _ height: Double, _ width: Double) -> Double {
        let (x, y) = (u / width, (v - centre) / height)
        return exp(-(x * x + y * y))
      }
      return switch self {
      case .width: (u, 0)
      case .length: (0, v)
      case .taper: (-u * v, 0)
      case .eyeDistance: (u * near(-0.45, 0.4, 0.7), 0)
      case .eyeHeight: (0, near(-0.5, 0.45, 0.9))
      case .noseLength: (0, near(0, 0.4, 0.5))
      case .mouthWidth: (u * near(0.5, 0.4, 0.7), 0)
      case .mouthHeight: (0, near(0.5, 0.4, 0.7))
      case .asymmetry: (v, 0)
      }
    }
  }

  private let centre: Point
  private let halfWidth, halfHeight: Double
  private let amounts: [Double]

  /// A shape with an amount of each mode, for a face that must have an area.
  init(of face: BoundingBox, amounts: [Mode: Double]) {
    centre = Point(x: face.x + face.width / 2, y: face.y + face.height / 2)
    (halfWidth, halfHeight) = (face.width / 2, face.height / 2)
    self.amounts = Mode.allCases.map { amounts[$0] ?? 0 }
  }

  /// The position of the original image that is seen at a position of the changed one.
  func source(of point: Point) -> Point {
    let moved = displacement(at: point)
    return Point(x: point.x - moved.x, y: point.y - moved.y)
  }

  /// Where a position of the original image is seen: the inverse of `source`, to 1e-9 pixels.
  func callAsFunction(_ point: Point) -> Point {
    var result = point
    // The displacement differs by less than half of what positions differ by, so each step halves the error.
    for _ in 0..<60 {
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
    let distance = (u * u + v * v) / 3.24
    guard distance < 6 else { return Point(x: 0, y: 0) }
    let fading = exp(-distance * distance)
    var sum = Point(x: 0, y: 0)
    for mode in Mode.allCases {
      let moved = mode.displacement(u: u, v: v)
      sum.x += amounts[mode.rawValue] * moved.u
      sum.y += amounts[mode.rawValue] * moved.v
    }
    return Point(x: sum.x * fading * halfWidth, y: sum.y * fading * halfHeight)
  }
}
