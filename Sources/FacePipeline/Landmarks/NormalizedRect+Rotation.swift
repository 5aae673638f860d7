package import FaceCore

extension NormalizedRect {
  /// The whole image as the detector is to see it when the image is turned by multiples of 90 degrees.
  ///
  /// Positive degrees mean that the image has to be turned clockwise to be upright. Faces come out
  /// in the coordinates of the image as it is. Throws for any other angle.
  package init(
    detectorViewOf size: ImageSize, rotationDegrees degrees: Int
  ) throws(FaceLandmarkerError) {
    guard degrees.isMultiple(of: 90) else {
      throw FaceLandmarkerError(
        .invalidOption, "turn the detector's view", expected: "a multiple of 90 degrees",
        found: "\(degrees)")
    }
    self = .whole
    rotation = Float(-Double(degrees) * Double.pi / 180)
    if !degrees.isMultiple(of: 180) {
      width = Float(size.height) / Float(size.width)
      height = Float(size.width) / Float(size.height)
    }
  }
}
