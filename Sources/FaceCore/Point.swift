/// A position in pixels, origin at the picture's top-left corner, y down.
public struct Point: Sendable, Hashable, Codable {
  /// Distance from the left edge in pixels.
  public var x: Double
  /// Distance from the top edge in pixels.
  public var y: Double

  /// Makes a point from its pixel coordinates.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }
}
