package import FaceCore

/// Which points of one scheme stand for each point of another.
///
/// Schemes do not interchange: a perfect tracker in the one has an error in the other that no table
/// can remove, so an error by correspondence is an upper bound with a floor of its own, which
/// `LandmarkRegression` measures.
package struct LandmarkCorrespondence: Sendable, Hashable {
  /// The scheme that has points.
  package let source: LandmarkScheme
  /// The scheme that is asked for.
  package let target: LandmarkScheme
  /// For each point of the target the points of the source whose mean stands for it; empty for none.
  package let indices: [[Int]]

  /// Every table.
  package static let all = [
    mediapipe478ToIBUG68, mediapipe478ToWFLW98, mediapipe478ToCOFW29, mediapipe478ToFive,
  ]

  /// The table between two schemes; nil where there is none, itself for one scheme.
  package static func between(_ source: LandmarkScheme, _ target: LandmarkScheme)
    -> LandmarkCorrespondence?
  {
    if source == target {
      return LandmarkCorrespondence(
        source: source, target: target, indices: (0..<source.count).map { [$0] })
    }
    return all.first { $0.source == source && $0.target == target }
  }

  /// The points of a face in the target's order; nil where the source has none or the face too few.
  package func points(of face: FacePrediction) -> [Point?] {
    indices.map { sources in
      guard !sources.isEmpty, sources.allSatisfy(face.points.indices.contains) else { return nil }
      var sum = Point(x: 0, y: 0)
      for source in sources {
        sum.x += Double(face.points[source].x)
        sum.y += Double(face.points[source].y)
      }
      let count = Double(sources.count)
      return Point(x: sum.x / count, y: sum.y / count)
    }
  }

  /// The labelled points to compare with a scheme and their table; the scheme's own points go first.
  ///
  /// Nil where no point of the label has a counterpart in the scheme.
  static func target(of label: FaceLabel, for scheme: LandmarkScheme)
    -> (landmarks: Landmarks, table: LandmarkCorrespondence)?
  {
    let known = label.landmarks.compactMap { landmarks in
      between(scheme, landmarks.scheme).map { (landmarks: landmarks, table: $0) }
    }
    .filter { $0.table.hasCounterpart(in: $0.landmarks) { $0 != .notLabelled } }
    return known.first { $0.landmarks.scheme == scheme } ?? known.first
  }

  /// Whether a point whose state is asked for has a counterpart.
  func hasCounterpart(in label: Landmarks, where counts: (PointVisibility) -> Bool) -> Bool {
    zip(indices, label.visibility).contains { !$0.isEmpty && counts($1) }
  }
}
