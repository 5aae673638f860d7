internal import FaceCore

/// Where the points of a scheme lie in an upright, frontal face, the origin between the eyes and their distance 2.
///
/// Positions are those of the mean of 624 labelled faces of 300-W, both sides averaged.
struct FaceLayout {
  /// Points of the scheme whose mean lies at a place.
  let parts: [(points: [Int], x: Double, y: Double)]

  /// The misfit up to which points are in the scheme's order.
  ///
  /// Of 624 faces of 300-W none is beyond 0.12 in its own order, and none below 0.36 in another one of its count.
  static let limit = 0.25

  /// The layout of a scheme, or nil if it has none.
  static func of(_ scheme: LandmarkScheme) -> FaceLayout? {
    switch scheme {
    case .ibug68:
      face(
        eyes: (Array(36...41), Array(42...47)), nose: 30, mouth: (48, 54), chin: 8,
        brows: (Array(17...21), Array(22...26)))
    case .wflw98:
      face(
        eyes: (Array(60...67), Array(68...75)), nose: 54, mouth: (76, 82), chin: 16,
        brows: (Array(33...41), Array(42...50)))
    case .cofw29:
      face(
        eyes: ([8, 10, 12, 13], [9, 11, 14, 15]), nose: 20, mouth: (22, 23), chin: 28,
        brows: ([0, 2, 4, 5], [1, 3, 6, 7]))
    case .five: face(eyes: ([0], [1]), nose: 2, mouth: (3, 4))
    case .lapa106:
      face(
        eyes: (Array(66...73), Array(75...82)), nose: 54, mouth: (84, 90), chin: 16,
        brows: (Array(33...41), Array(42...50)))
    case .aflw21:
      face(
        eyes: ([6, 7, 8], [9, 10, 11]), nose: 14, mouth: (17, 19), chin: 20,
        brows: ([0, 1, 2], [3, 4, 5]))
    case .aflw19:
      face(
        eyes: ([6, 7, 8], [9, 10, 11]), nose: 13, mouth: (15, 17), chin: 18,
        brows: ([0, 1, 2], [3, 4, 5]))
    case .mediapipe478:
      face(
        eyes: ([33, 133, 159, 145], [263, 362, 386, 374]), nose: 4, mouth: (61, 291), chin: 152)
    case .facepp83:
      face(
        eyes: ([20], [66]), nose: 64, mouth: (37, 46), chin: 0,
        brows: (Array(29...36), Array(75...82)))
    case .dlib5:
      FaceLayout(parts: [
        ([0], 1.39, 0), ([1], 0.6, 0.06), ([2], -1.39, 0), ([3], -0.6, 0.06), ([4], 0, 1.53),
      ])
    case .blazeface6:
      FaceLayout(parts: [
        ([0], -1, 0), ([1], 1, 0), ([2], 0, 1.12), ([3], 0, 2.2), ([4], -2.28, 0),
        ([5], 2.28, 0),
      ])
    case .helen194:
      // Middles only: publications differ in which eye and which brow comes first.
      FaceLayout(parts: [
        (Array(114...153), 0, 0), (Array(41...57), 0, 1), (Array(58...113), 0, 2.2),
        (Array(154...193), 0, -0.6),
      ])
    default: nil
    }
  }

  /// Eyes, corners of the mouth and brows: the subject's right before the left.
  private static func face(
    eyes: ([Int], [Int]), nose: Int, mouth: (Int, Int), chin: Int? = nil,
    brows: ([Int], [Int])? = nil
  ) -> FaceLayout {
    var parts: [(points: [Int], x: Double, y: Double)] = [
      (eyes.0, -1, 0), (eyes.1, 1, 0), ([nose], 0, 1.12), ([mouth.0], -0.9, 2.09),
      ([mouth.1], 0.9, 2.09),
    ]
    if let chin { parts.append(([chin], 0, 3.68)) }
    if let brows { parts += [(brows.0, -1.16, -0.6), (brows.1, 1.16, -0.6)] }
    return FaceLayout(parts: parts)
  }

  /// The share of the positions' variance that the layout does not explain when it is moved, turned and scaled.
  ///
  /// 0 for the layout itself, 1 for its mirror image; nil where too few points are labelled.
  func misfit(of points: [Point?]) -> Double? {
    var pairs: [(own: Point, seen: Point)] = []
    for part in parts {
      let known = part.points.compactMap { points.indices.contains($0) ? points[$0] : nil }
      guard 2 * known.count >= part.points.count, !known.isEmpty else { continue }
      pairs.append((Point(x: part.x, y: part.y), known.centroid))
    }
    guard pairs.count >= 4 else { return nil }
    let (own, seen) = (pairs.map(\.own).centroid, pairs.map(\.seen).centroid)
    var (along, across, ownSum, seenSum) = (0.0, 0.0, 0.0, 0.0)
    for pair in pairs {
      let (a, b) = (pair.own.x - own.x, pair.own.y - own.y)
      let (x, y) = (pair.seen.x - seen.x, pair.seen.y - seen.y)
      along += a * x + b * y
      across += a * y - b * x
      ownSum += a * a + b * b
      seenSum += x * x + y * y
    }
    guard seenSum > 0 else { return nil }
    return max(0, 1 - (along * along + across * across) / (ownSum * seenSum))
  }

  /// The median misfit of faces and how many of them could be judged; nil for none.
  static func misfit(of faces: [[Point?]], in order: PointOrder) -> (median: Double, faces: Int)? {
    guard let layout = of(order.scheme) else { return nil }
    let values = faces.compactMap { layout.misfit(of: order.placed($0, missing: nil)) }
    return values.upperMedian.map { ($0, values.count) }
  }
}

extension [Point] {
  /// The mean of the points; NaN for none.
  var centroid: Point {
    Point(
      x: reduce(0) { $0 + $1.x } / Double(count), y: reduce(0) { $0 + $1.y } / Double(count))
  }
}
