import FaceCore

/// Coordinates of a predicted face in which position, size and turn in the image do not matter.
///
/// The seven anchors of the scheme's layout are moved, scaled and turned, without reflection, onto an
/// upright frontal face as well as a similarity can: their mean becomes the origin and the root of their
/// mean squared distance from it 1.
struct FaceFrame {
  /// How many numbers the anchors are.
  static let inputCount = 2 * upright.count
  /// The anchors in the frame, x and y of the first, then of the next; 14 numbers.
  let anchors: [Double]
  /// Length of the unit in pixels.
  let scale: Double
  private let center: Point
  private let cosine, sine: Double

  /// The frame of a face; nil where its scheme has no anchors, one is not finite, or all are one point.
  init?(_ face: FacePrediction) {
    guard let layout = face.scheme.flatMap(LandmarkLayout.of), !layout.anchors.isEmpty,
      layout.anchors.allSatisfy(face.points.indices.contains)
    else { return nil }
    let points = layout.anchors.map { index in
      Point(x: Double(face.points[index].x), y: Double(face.points[index].y))
    }
    guard let center = Point(meanOf: points) else { return nil }
    let count = Double(points.count)
    let moved = points.map { Point(x: $0.x - center.x, y: $0.y - center.y) }
    let scale = (moved.reduce(0.0) { $0 + $1.x * $1.x + $1.y * $1.y } / count).squareRoot()
    var (along, across) = (0.0, 0.0)
    for (point, upright) in zip(moved, Self.upright) {
      along += point.x * upright.x + point.y * upright.y
      across += point.x * upright.y - point.y * upright.x
    }
    let length = (along * along + across * across).squareRoot()
    guard scale.isFinite, length.isFinite, scale > 1e-6, length > 1e-6 * scale else { return nil }
    self.center = center
    self.scale = scale
    (cosine, sine) = (along / length, across / length)
    let (cosine, sine) = (cosine, sine)
    anchors = moved.flatMap { point -> [Double] in
      let (x, y) = (point.x * cosine - point.y * sine, point.x * sine + point.y * cosine)
      return [x / scale, y / scale]
    }
  }

  /// The way from one point to another in the frame.
  func offset(from start: Point, to end: Point) -> Point {
    let (x, y) = (end.x - start.x, end.y - start.y)
    return Point(x: (x * cosine - y * sine) / scale, y: (x * sine + y * cosine) / scale)
  }

  /// Where the anchors of an upright frontal face are, y down: the mean over Helen's test set, mirrored.
  private static let upright = [
    Point(x: -0.94, y: -1.03), Point(x: 0.94, y: -1.03), Point(x: 0, y: -0.31),
    Point(x: -0.59, y: 0.36), Point(x: 0.59, y: 0.36), Point(x: 0, y: 0.25),
    Point(x: 0, y: 1.4),
  ]
}
