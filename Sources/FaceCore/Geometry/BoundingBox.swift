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

  /// The tight box around points, which must be finite, or nil for no points.
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
