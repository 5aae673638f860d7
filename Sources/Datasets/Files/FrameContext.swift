/// What is known of a frame as a whole: its camera, and numbers such as the light.
package struct FrameContext: Sendable, Hashable {
  /// The camera's 3 by 3 matrix by rows, in pixels of the picture as stored; nil where unknown.
  package var intrinsics: [Double]?
  /// The 4 by 4 matrix by rows from the camera to the world in metres; x right, y up, the camera looks along -z.
  package var cameraTransform: [Double]?
  /// Numbers of the frame by name.
  package var attributes: [String: Double]

  /// Describes a frame.
  package init(
    intrinsics: [Double]? = nil, cameraTransform: [Double]? = nil,
    attributes: [String: Double] = [:]
  ) {
    self.intrinsics = intrinsics
    self.cameraTransform = cameraTransform
    self.attributes = attributes
  }
}

/// Distances from the camera, row by row in the orientation of the picture.
package struct DepthMap: Sendable, Hashable {
  /// How many numbers a row has.
  package let width: Int
  /// How many rows there are.
  package let height: Int
  /// Metres, `width * height` of them; NaN where unknown.
  package let metres: [Float]

  /// Pairs numbers with their shape; nil where they do not fit.
  package init?(width: Int, height: Int, metres: [Float]) {
    guard width > 0, height > 0, width <= 1 << 16, height <= 1 << 16,
      metres.count == width * height
    else { return nil }
    self.width = width
    self.height = height
    self.metres = metres
  }
}
