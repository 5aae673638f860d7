/// An axis-aligned rectangle in pixels, origin at the picture's top-left corner, y down.
public struct BoundingBox: Sendable, Hashable, Codable {
  /// Left edge in pixels.
  public var x: Double
  /// Top edge in pixels.
  public var y: Double
  /// Width in pixels.
  public var width: Double
  /// Height in pixels.
  public var height: Double

  /// Makes a box from its left, top, width and height in pixels.
  public init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// The tight box around points, or nil for no points; not well-formed where one is not finite.
  public init?(around points: some Sequence<Point>) {
    var iterator = points.makeIterator()
    guard let first = iterator.next() else { return nil }
    var (low, high) = (first, first)
    while let point = iterator.next() {
      low = Point(x: min(low.x, point.x), y: min(low.y, point.y))
      high = Point(x: max(high.x, point.x), y: max(high.y, point.y))
    }
    self.init(x: low.x, y: low.y, width: high.x - low.x, height: high.y - low.y)
  }

  /// Right edge in pixels.
  public var maxX: Double { x + width }
  /// Bottom edge in pixels.
  public var maxY: Double { y + height }
  /// Width times height, in square pixels.
  public var area: Double { width * height }

  /// Whether every number is finite and neither side is negative.
  public var isWellFormed: Bool {
    x.isFinite && y.isFinite && width.isFinite && height.isFinite && width >= 0 && height >= 0
  }

  /// The same box in a picture whose sides are multiplied by `scale`.
  public func scaled(by scale: Double) -> BoundingBox {
    BoundingBox(x: x * scale, y: y * scale, width: width * scale, height: height * scale)
  }

  /// Area of the overlap with another box, in square pixels; 0 where they do not meet.
  public func intersection(with other: BoundingBox) -> Double {
    let overlapWidth = min(maxX, other.maxX) - max(x, other.x)
    let overlapHeight = min(maxY, other.maxY) - max(y, other.y)
    return overlapWidth > 0 && overlapHeight > 0 ? overlapWidth * overlapHeight : 0
  }

  /// Intersection over union in [0, 1]; 0 where the union has no area.
  public func iou(with other: BoundingBox) -> Double {
    let shared = intersection(with: other)
    let union = area + other.area - shared
    return union > 0 ? shared / union : 0
  }
}
