internal import FaceCore
internal import Metrics

/// Whether the points of a face stand as those of their scheme do, whatever its place, size and turn.
///
/// Points of both sides of a face are joined by lines that lie nearly side by side, seen from any direction, and lead to
/// the image's right where the eyes are above the mouth. Points in another order lose this.
struct PointGeometry {
  private let pairs: [(right: Int, left: Int)]
  private let eyes: [Int]
  private let mouth: [Int]

  /// Pairs with the subject's left point first: lips, and what is drawn below them, run from left to right.
  private static let reversed: [LandmarkScheme: Set<Int>] = [
    .ibug68: [55, 56, 65], .wflw98: [83, 84, 93], .lapa106: [91, 92, 101],
  ]

  /// The geometry of a scheme; nil where its sides are unknown.
  init?(_ scheme: LandmarkScheme) {
    guard let others = scheme.otherSides else { return nil }
    let reversed = Self.reversed[scheme] ?? []
    pairs = others.indices.filter { $0 < others[$0] }.map {
      reversed.contains($0) ? (others[$0], $0) : ($0, others[$0])
    }
    let layout = LandmarkLayout.of(scheme)
    eyes = (layout?.leftEye ?? []) + (layout?.rightEye ?? [])
    mouth = layout?.parts[.mouth] ?? []
  }

  /// 0 for a face as the scheme has it, 1 for points in no order, 2 for exchanged sides; nil with less than two pairs.
  func disorder(of points: [Point?]) -> Double? {
    var (sum, length, count) = (Point(x: 0, y: 0), 0.0, 0)
    for pair in pairs {
      guard let right = points[pair.right], let left = points[pair.left] else { continue }
      let (x, y) = (left.x - right.x, left.y - right.y)
      sum.x += x
      sum.y += y
      length += (x * x + y * y).squareRoot()
      count += 1
    }
    guard count > 1, length > 0 else { return nil }
    let coherence = (sum.x * sum.x + sum.y * sum.y).squareRoot() / length
    guard let upper = Point(meanOf: eyes.compactMap { points[$0] }),
      let lower = Point(meanOf: mouth.compactMap { points[$0] })
    else { return 1 - coherence }
    let turn = sum.x * (upper.y - lower.y) - sum.y * (upper.x - lower.x)
    return turn <= 0 ? 1 - coherence : 1 + coherence
  }
}
