internal import FaceCore

/// Points whose both coordinates a source writes with a minus, as MERL-RAV does where something covers them.
struct NegatedPoints {
  private let indexBase: Int
  private var isUsed = false
  private var count = 0

  /// Of a source whose first pixel has that number, which is taken off its points.
  init(indexBase: Int) { self.indexBase = indexBase }

  /// Looks whether the points of a face show the use: as it stands a point is farther from the others than their size, and
  /// without the signs it is not.
  mutating func look(at points: [Point?]) {
    let known = points.compactMap { $0 }
    let others = known.filter { !isMarked($0) }
    guard others.count > 1, let box = BoundingBox(around: others) else { return }
    let size = max(box.width, box.height)
    func isNear(_ point: Point) -> Bool {
      (box.x - size...box.maxX + size).contains(point.x)
        && (box.y - size...box.maxY + size).contains(point.y)
    }
    // Twice the same number, such as -100, may be the mark of a point that is not labelled.
    isUsed =
      isUsed
      || known.contains { $0.x != $0.y && isMarked($0) && !isNear($0) && isNear(turned($0)) }
  }

  /// The points at their places, and how each was seen.
  func read(_ points: [Point?]) -> (points: [Point?], states: [PointVisibility]) {
    let states = points.map { point in
      isUsed && point.map(isMarked) ?? false ? PointVisibility.occluded : .visible
    }
    return (zip(points, states).map { $1 == .occluded ? $0.map(turned) : $0 }, states)
  }

  /// The same, which counts the points.
  mutating func take(_ points: [Point?]) -> (points: [Point?], states: [PointVisibility]) {
    let own = read(points)
    count += own.states.count { $0 == .occluded }
    return own
  }

  /// What was assumed.
  var remarks: [ImportRemark] {
    var remarks: [ImportRemark] = []
    remarks.assume(
      count, "points with a minus before x and y are hidden, at the place without the minus")
    return remarks
  }

  private func isMarked(_ point: Point) -> Bool {
    point.x + Double(indexBase) < -1 && point.y + Double(indexBase) < -1
  }

  private func turned(_ point: Point) -> Point {
    let base = Double(2 * indexBase)
    return Point(x: -point.x - base, y: -point.y - base)
  }
}
