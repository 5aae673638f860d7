/// A position in pixels, origin at the image's top-left corner, y down.
package struct Point: Sendable, Hashable, Codable {
  /// Distance from the left edge in pixels.
  package var x: Double
  /// Distance from the top edge in pixels.
  package var y: Double

  /// Makes a point from its pixel coordinates.
  package init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// The mean of points; nil of none.
  package init?(meanOf points: [Point]) {
    guard !points.isEmpty else { return nil }
    let count = Double(points.count)
    self.init(
      x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
  }

  /// Euclidean distance in pixels.
  package func distance(to other: Point) -> Double {
    let (x, y) = (x - other.x, y - other.y)
    return (x * x + y * y).squareRoot()
  }
}
