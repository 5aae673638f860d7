/// A rotated rectangle in fractions of the picture's width and height.
public struct NormalizedRect: Sendable, Hashable, Codable {
  /// The centre's column over the picture's width.
  public var xCenter: Float
  /// The centre's row over the picture's height.
  public var yCenter: Float
  /// Width over the picture's width.
  public var width: Float
  /// Height over the picture's height.
  public var height: Float
  /// Clockwise rotation in radians.
  public var rotation: Float

  /// Makes a rectangle from fractions and a rotation in radians.
  public init(xCenter: Float, yCenter: Float, width: Float, height: Float, rotation: Float = 0) {
    self.xCenter = xCenter
    self.yCenter = yCenter
    self.width = width
    self.height = height
    self.rotation = rotation
  }

  /// The whole picture.
  public static let whole = NormalizedRect(xCenter: 0.5, yCenter: 0.5, width: 1, height: 1)
}
