/// The detectors that can be chosen.
package enum DetectorVariant: String, Sendable, CaseIterable {
  /// Faces within about two metres, as in the Face Landmarker.
  case shortRange = "short-range"
  /// Faces up to about five metres away.
  case fullRange = "full-range"

  /// The model in the catalogue.
  package var model: ModelDescription {
    switch self {
    case .shortRange: .blazeFaceShortRange
    case .fullRange: .blazeFaceFullRange
    }
  }

  /// What the model's numbers mean.
  package var geometry: DetectorGeometry {
    switch self {
    case .shortRange: .shortRange
    case .fullRange: .fullRange
    }
  }
}
