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
}
