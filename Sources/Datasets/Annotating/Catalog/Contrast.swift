internal import FaceCore

extension FaceMeasure {
  /// Standard deviation of L* over the labelled box: root-mean-square contrast (Peli 1990) in units of lightness.
  static let contrast = FaceMeasure(.contrast) { face in
    let values = face.pixels.colors.map(\.lightness)
    let mean = values.reduce(0, +) / Double(values.count)
    return (values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(values.count)).squareRoot()
  }
}
