internal import Imaging

extension Degradation {
  /// Fewer pixels: the image is made smaller, each pixel the average of the area that it covers.
  ///
  /// An image whose face is as small already stays as it is.
  static let resolution = Degradation(
    "resolution", quantity: "interocular distance in pixels", values: [32, 20, 12, 8, 5]
  ) { frame, pixels in
    let longest = Double(max(frame.pixels.width, frame.pixels.height))
    let target = longest * pixels / frame.reference.interocular
    guard target < longest else { return }
    frame.reduce(toFit: max(1, Int(target.rounded())))
  }
}
