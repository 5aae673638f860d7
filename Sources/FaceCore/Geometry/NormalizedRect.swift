/// A rotated rectangle in fractions of the image's width and height.
package struct NormalizedRect: Sendable, Hashable, Codable {
  /// The centre's column over the image's width.
  package var xCenter: Float
  /// The centre's row over the image's height.
  package var yCenter: Float
  /// Width over the image's width.
  package var width: Float
  /// Height over the image's height.
  package var height: Float
  /// Clockwise rotation in radians.
  package var rotation: Float

  /// Makes a rectangle from fractions and a rotation in radians.
  package init(xCenter: Float, yCenter: Float, width: Float, height: Float, rotation: Float = 0) {
    self.xCenter = xCenter
    self.yCenter = yCenter
    self.width = width
    self.height = height
    self.rotation = rotation
  }

  /// The whole image.
  package static let whole = NormalizedRect(xCenter: 0.5, yCenter: 0.5, width: 1, height: 1)
}
