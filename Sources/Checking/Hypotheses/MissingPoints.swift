internal import FaceCore
internal import Records

/// Points at a place that stands for none, such as (0, 0) or (-1, -1), that are taken for points.
struct MissingPoints {
  /// How far outside of the box of the others they lie, in sides of that box: exact places in faces that fill their image,
  /// others where no face reaches.
  private static let margin = (place: 0.1, repeated: 1.0)
  /// Less may be points of a face at the image's corner.
  private static let minCount = 3

  private var count = 0
  private var total = 0
  private var faces = 0
  private var place: Point?
  private var frames: [Finding.Frame] = []

  /// Looks at a face of a frame.
  mutating func look(at points: [Point?], in frame: Finding.Frame) {
    faces += 1
    total += points.count { $0 != nil }
    let missing = Self.indices(in: points)
    guard let first = missing.first else { return }
    count += missing.count
    place = place ?? points[first]
    if frames.last != frame { frames.append(frame) }
  }

  /// The points of a face that stand for none.
  static func indices(in points: [Point?]) -> [Int] {
    var (low, high) = (Point(x: .infinity, y: .infinity), Point(x: -.infinity, y: -.infinity))
    var isSuspicious = false
    for case let point? in points {
      if isPlace(point) { isSuspicious = true }
      (low.x, low.y) = (min(low.x, point.x), min(low.y, point.y))
      (high.x, high.y) = (max(high.x, point.x), max(high.y, point.y))
    }
    var extremes: [Point] = []
    for case let point? in points
    where point.x == low.x || point.y == low.y || point.x == high.x || point.y == high.y {
      if extremes.contains(point) { isSuspicious = true }
      extremes.append(point)
    }
    guard isSuspicious else { return [] }
    func isCandidate(_ point: Point) -> Bool {
      isPlace(point) || extremes.count { $0 == point } > 1
    }
    let others = points.compactMap(\.self).filter { !isCandidate($0) }
    guard others.count > 2, let face = BoundingBox(around: others) else { return [] }
    let side = max(face.width, face.height)
    return points.indices.filter { index in
      guard let point = points[index], isCandidate(point) else { return false }
      let distance = max(
        face.x - point.x, point.x - face.maxX, face.y - point.y, point.y - face.maxY)
      return distance >= side * (isPlace(point) ? margin.place : margin.repeated)
    }
  }

  /// Whether files write this place for a missing point, before or after 1 is taken off for counting from 1.
  private static func isPlace(_ point: Point) -> Bool {
    point.x == point.y && (point.x == 0 || point.x == -1 || point.x == -2)
  }

  /// What was found of labels or predictions; nil for nothing.
  func finding(of side: Side) -> Finding? {
    guard count >= Self.minCount, let place else { return nil }
    return Finding(
      "points.missing", .suspect,
      "\(count) \(side.adjective) points stand at a place outside of their face, such as "
        + "(\(Self.text(place.x)), \(Self.text(place.y))), which means that they are missing.",
      statistic: "share of \(side.adjective) points at such a place",
      before: Double(count) / Double(total), after: 0, n: faces,
      remedy: "Write -1 -1 for these points, or leave them out, and import the \(side.rawValue) "
        + "again.", frames: frames)
  }

  private static func text(_ value: Double) -> String {
    value == value.rounded() && abs(value) < 1e9 ? "\(Int(value))" : "\(value)"
  }
}
