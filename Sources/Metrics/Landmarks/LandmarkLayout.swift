package import FaceCore

/// A region of the face that has points of its own in a scheme.
package enum FacePart: String, CaseIterable, Sendable {
  case jaw, brows, nose, eyes, mouth
}

/// Which points of a scheme are the eye corners, the eyes and the parts.
///
/// Left and right are those of the picture of a frontal, upright face.
package struct LandmarkLayout: Sendable, Hashable {
  /// The outer corner of the left eye.
  package let leftOuterCorner: Int
  /// The outer corner of the right eye.
  package let rightOuterCorner: Int
  /// The outline of the left eye.
  package let leftEye: [Int]
  /// The outline of the right eye.
  package let rightEye: [Int]
  /// The points of each part.
  package let parts: [FacePart: [Int]]
  /// Seven points spread over the face: outer eye corners, nose tip, mouth corners, upper lip, chin.
  package let anchors: [Int]

  /// The layout of a scheme, or nil where none is known.
  package static func of(_ scheme: LandmarkScheme) -> LandmarkLayout? {
    switch scheme {
    case .ibug68: ibug68
    case .mediapipe478: mediapipe478
    default: nil
    }
  }

  /// The markup of 300-W (Sagonas et al. 2013), counted from 0.
  private static let ibug68 = LandmarkLayout(
    leftOuterCorner: 36, rightOuterCorner: 45, leftEye: Array(36...41), rightEye: Array(42...47),
    parts: [
      .jaw: Array(0...16), .brows: Array(17...26), .nose: Array(27...35), .eyes: Array(36...47),
      .mouth: Array(48...67),
    ],
    anchors: [36, 45, 30, 48, 54, 51, 8])

  /// The outlines of MediaPipe's mesh; the jaw is the face oval below the eyes, and the subject's right eye is left.
  private static let mediapipe478 = LandmarkLayout(
    leftOuterCorner: 33, rightOuterCorner: 263,
    leftEye: FaceMeshConnections.rightEye.points, rightEye: FaceMeshConnections.leftEye.points,
    parts: [
      .jaw: [
        127, 234, 93, 132, 58, 172, 136, 150, 149, 176, 148, 152, 377, 400, 378, 379, 365, 397, 288,
        361, 323, 454, 356,
      ],
      .brows: FaceMeshConnections.rightEyebrow.points + FaceMeshConnections.leftEyebrow.points,
      .nose: [
        168, 6, 197, 195, 5, 4, 1, 19, 94, 2, 98, 97, 326, 327, 294, 278, 344, 440, 275, 45, 220,
        115, 48, 64,
      ],
      .eyes: FaceMeshConnections.rightEye.points + FaceMeshConnections.leftEye.points,
      .mouth: FaceMeshConnections.lips.points,
    ],
    anchors: [33, 263, 4, 61, 291, 0, 152])
}
