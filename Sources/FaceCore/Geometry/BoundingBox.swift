/// An axis-aligned rectangle in pixels, origin at the image's top-left corner, y down.
package struct BoundingBox: Sendable, Hashable, Codable {
  /// Left edge in pixels.
  package var x: Double
  /// Top edge in pixels.
  package var y: Double
  /// Width in pixels.
  package var width: Double
  /// Height in pixels.
  package var height: Double

  /// Makes a box from its left, top, width and height in pixels.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The tight box around points, or nil for no points; not well-formed where one is infinite or the first is NaN.
  package init?(around points: [Point]) {
    guard let first = points.first else { return nil }
    var (low, high) = (first, first)
    for point in points.dropFirst() {
      low = Point(x: min(low.x, point.x), y: min(low.y, point.y))
      high = Point(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    self.init(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }

  /// Right edge in pixels.
  package var maxX: Double { x + width }
  /// Bottom edge in pixels.
  package var maxY: Double { y + height }
  /// Width times height, in square pixels.
  package var area: Double { width * height }

  /// Whether every number is finite and neither side is negative.
  package var isWellFormed: Bool {
    x.isFinite && y.isFinite && width.isFinite && height.isFinite && width >= 0 && height >= 0
  }

  /// The point in its middle.
  package var center: Point { Point(x: x + width / 2, y: y + height / 2) }

  /// Whether a point lies in the box or on its edges; none does where a number is NaN.
  package func holds(_ point: Point) -> Bool {
    point.x >= x && point.x <= maxX && point.y >= y && point.y <= maxY
  }

  /// The same box in an image whose sides are multiplied by `scale`.
  package func scaled(by scale: Double) -> BoundingBox {
    BoundingBox(x: x * scale, y: y * scale, width: width * scale, height: height * scale)
  }

  /// Area of the overlap with another box, in square pixels; 0 where they do not meet.
  package func intersection(with other: BoundingBox) -> Double {
    let overlapWidth = min(maxX, other.maxX) - max(x, other.x)
    let overlapHeight = min(maxY, other.maxY) - max(y, other.y)
    return overlapWidth > 0 && overlapHeight > 0 ? overlapWidth * overlapHeight : 0
  }

  /// Intersection over union in [0, 1]; 0 where the union has no area.
  package func iou(with other: BoundingBox) -> Double {
    let shared = intersection(with: other)
    let union = area + other.area - shared
    return union > 0 ? shared / union : 0
  }
}

extension [BoundingBox?] {
  /// Those that overlap others most, by position and one with one: pairs with an IoU of `least` or more, best first.
  package func paired(
    with others: [BoundingBox?], least: Double
  ) -> [(first: Int, second: Int)] {
    var candidates: [(iou: Double, first: Int, second: Int)] = []
    for (first, box) in enumerated() {
      for (second, other) in others.enumerated() {
        guard let box, let other else { continue }
        let iou = box.iou(with: other)
        if iou >= least { candidates.append((iou, first, second)) }
      }
    }
    candidates.sort { ($1.iou, $0.first, $0.second) < ($0.iou, $1.first, $1.second) }
    var (firsts, seconds): (Set<Int>, Set<Int>) = ([], [])
    var pairs: [(first: Int, second: Int)] = []
    for (_, first, second) in candidates
    where !firsts.contains(first) && !seconds.contains(second) {
      firsts.insert(first)
      seconds.insert(second)
      pairs.append((first, second))
    }
    return pairs
  }
}
