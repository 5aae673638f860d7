/// Whether a timed frame needed the detector; raw values are the names of the slices.
package enum FramePopulation: String, Sendable, Codable, CaseIterable {
  /// The detector ran.
  case detectorRan = "detector_ran"
  /// The faces of the frame before were followed, without the detector.
  case tracked

  /// The frames of the population, in words.
  package var words: String {
    switch self {
    case .detectorRan: "frames in which the detector ran"
    case .tracked: "tracked frames"
    }
  }
}
