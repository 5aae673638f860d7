package import FaceCore

/// The landmark models that can be chosen; both give the 478 points of `mediapipe478`.
package enum LandmarkVariant: String, Sendable, CaseIterable, Codable {
  /// The Face Landmarker's own model, from its bundle.
  case v2
  /// The legacy Face Mesh with refined lips, eyes and irises, from the Python wheel.
  case attention

  /// The model in the catalogue.
  package var model: ModelDescription {
    switch self {
    case .v2: .faceLandmarksV2
    case .attention: .faceLandmarksAttention
    }
  }

  /// Side of the square input in pixels.
  package var inputSide: Int {
    switch self {
    case .v2: 256
    case .attention: 192
    }
  }

  /// Intersection over union above which the model's own graph takes detections for one face.
  package var suppressionThreshold: Double {
    switch self {
    case .v2: 0.5
    case .attention: 0.3
    }
  }

  /// Shapes of the model's outputs.
  var outputs: [[Int]] {
    switch self {
    case .v2: [[1, 1, 1, 1434], [1, 1, 1, 1], [1, 1]]
    case .attention:
      [
        [1, 1, 1, 1404], [1, 1, 1, 160], [1, 1, 1, 142], [1, 1, 1, 142], [1, 1, 1, 10],
        [1, 1, 1, 10], [1, 1, 1, 1],
      ]
    }
  }

  /// The part of the image that the model looks at for a detection: square for the attention model only.
  package func region(of detection: NormalizedDetection, in size: ImageSize) -> NormalizedRect {
    switch self {
    case .v2: NormalizedRect(detection: detection, size: size)
    case .attention: NormalizedRect(detection: detection, size: size, squared: true)
    }
  }
}
