internal import FaceCore

extension FaceMeasure {
  /// Mean L* over the labelled box.
  static let luminance = FaceMeasure(.luminance) { face in
    let colors = face.pixels.colors
    return colors.reduce(0) { $0 + $1.lightness } / Double(colors.count)
  }
}
