/// Camera and attributes of a frame, such as the light.
package struct FrameContext: Sendable, Hashable {
  /// The camera's 3 by 3 matrix by rows, in pixels of the image as stored; nil if unknown.
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

/// Distances from the camera, row by row in the orientation of the image.
package struct DepthMap: Sendable, Hashable {
  /// Numbers per row.
  package let width: Int
  /// Number of rows.
  package let height: Int
  /// Metres, `width * height` of them; NaN if unknown.
  package let metres: [Float]

  /// Pairs numbers with their shape; nil if they do not match.
  package init?(width: Int, height: Int, metres: [Float]) {
    guard width > 0, height > 0, width <= 1 << 16, height <= 1 << 16,
      metres.count == width * height
    else { return nil }
    self.width = width
    self.height = height
    self.metres = metres
  }
}
