/// The outlines among the 478 points of `LandmarkScheme.mediapipe478`, as MediaPipe connects them.
///
/// Left and right are the subject's: the left eye is the one around point 263. Source: MediaPipe 0.10.21,
/// `FaceLandmarksConnections`, whose iOS version gives the left iris for the right one by mistake.
package enum FaceMeshConnections: String, Sendable, Hashable, CaseIterable {
  case lips
  case leftEye
  case leftEyebrow
  case leftIris
  case rightEye
  case rightEyebrow
  case rightIris
  case faceOval

  /// Runs of neighbouring points; a closed run ends with the point that it begins with.
  package var paths: [[Int]] {
    switch self {
    case .lips:
      [
        [
          61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185,
          61,
        ],
        [
          78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191,
          78,
        ],
      ]
    case .leftEye:
      [[263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466, 263]]
    case .leftEyebrow: [[276, 283, 282, 295, 285], [300, 293, 334, 296, 336]]
    case .leftIris: [[474, 475, 476, 477, 474]]
    case .rightEye:
      [[33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246, 33]]
    case .rightEyebrow: [[46, 53, 52, 65, 55], [70, 63, 105, 66, 107]]
    case .rightIris: [[469, 470, 471, 472, 469]]
    case .faceOval:
      [
        [
          10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377,
          152, 148, 176, 149, 150, 136, 172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109, 10,
        ]
      ]
    }
  }

  /// The points of the paths in their order, each once.
  package var points: [Int] {
    paths.flatMap { $0.first == $0.last ? $0.dropLast() : $0[...] }
  }

  /// The pairs of neighbouring points, in the order of the paths.
  package var edges: [(start: Int, end: Int)] {
    paths.flatMap { path in zip(path, path.dropFirst()).map { ($0, $1) } }
  }
}
