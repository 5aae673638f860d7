package import FaceCore

/// Which point of one scheme stands for a point of another.
///
/// Schemes do not interchange: a perfect tracker in the one has an error in the other that no table
/// can remove, so an error by correspondence is an upper bound with a floor of its own.
package struct LandmarkCorrespondence: Sendable, Hashable {
  /// The scheme that has points.
  package let source: LandmarkScheme
  /// The scheme that is asked for.
  package let target: LandmarkScheme
  /// For each point of the target its point in the source; nil where the source has none.
  package let indices: [Int?]

  /// Every table.
  package static let all = [mediapipe478ToIBUG68]

  /// The table between two schemes; nil where there is none, itself for one scheme.
  package static func between(_ source: LandmarkScheme, _ target: LandmarkScheme)
    -> LandmarkCorrespondence?
  {
    if source == target {
      return LandmarkCorrespondence(
        source: source, target: target, indices: Array(0..<source.count))
    }
    return all.first { $0.source == source && $0.target == target }
  }

  /// The points of a face in the target's order; nil where the source has none or the face too few.
  package func points(of face: FacePrediction) -> [Point?] {
    indices.map { index in
      guard let index, face.points.indices.contains(index) else { return nil }
      return Point(x: Double(face.points[index].x), y: Double(face.points[index].y))
    }
  }

  /// MediaPipe's mesh to the 68 points of 300-W.
  ///
  /// Made from the contours that MediaPipe publishes: within the contour of a part (oval, upper edge
  /// of the brows, ridge of the nose, eyes, outer and inner lips), the mirrored pair of mesh points
  /// with the smallest mean distance from the labels over 81 faces of Helen and of dlib's examples;
  /// eye and mouth corners are the contours' corners. Points 31 and 35 lie in no contour: they are
  /// the nearest of the mesh. Distances: `Tests/Oracles/expected/landmark_correspondence.json`.
  ///
  /// The jaw (0-16) does not exist in the mesh: points 127 to 356 of the face oval by way of the chin,
  /// 152, stand for it. They move with the skin, the labels lie on the outline that the camera sees,
  /// so in a turned face the two part, and the jaw has the largest floor. The brows' and the ridge's
  /// labels are spaced by length, the mesh's points are not.
  package static let mediapipe478ToIBUG68 = LandmarkCorrespondence(
    source: .mediapipe478, target: .ibug68,
    indices: [
      127, 234, 93, 58, 172, 136, 149, 148, 152, 377, 378, 365, 397, 288, 323, 454, 356,
      70, 63, 105, 66, 107, 336, 296, 334, 293, 300,
      168, 197, 195, 4, 75, 97, 2, 326, 305,
      33, 160, 158, 133, 153, 144, 362, 385, 387, 263, 373, 380,
      61, 39, 37, 0, 267, 269, 291, 405, 314, 17, 84, 181,
      78, 82, 13, 312, 308, 317, 14, 87,
    ])
}
