package import FaceCore

/// How far one labelled face's landmarks are off: measured once a frame, for the whole dataset and every slice.
package struct LandmarkErrors: Sendable, Hashable {
  /// Position among the labels.
  package let label: Int
  /// What accuracy keeps of the face.
  private(set) var face: LandmarkAccuracy.Face
  /// The scheme of the label's points.
  let scheme: String
  /// Error of each point by the first normaliser; nil where the face has none.
  private(set) var points: [Double?]?
  /// Where the label's points lie in the frame of its eye corners; empty without `points`.
  private(set) var places: [Point] = []

  /// NME of a found face by a length of its label; nil for a missed one, and where the label lacks the length.
  package func error(by normalizer: LandmarkNormalizer) -> Double? {
    let index = LandmarkNormalizer.allCases.firstIndex(of: normalizer) ?? 0
    return face.mean.flatMap { mean in face.normalizers[index].map { mean / $0 } }
  }

  /// Measures the labelled faces of a frame in the order of their labels.
  ///
  /// Labels without points that the scheme has a counterpart of are left out. Throws for a matched face in another
  /// scheme.
  package static func all(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching,
    scheme: LandmarkScheme
  ) throws(MetricError) -> [LandmarkErrors] {
    var measured: [LandmarkErrors] = []
    for (label, face) in matching.labelledFaces {
      guard let (landmarks, table) = LandmarkCorrespondence.target(of: labels[label], for: scheme)
      else { continue }
      var errors = LandmarkErrors(
        label: label,
        face: LandmarkAccuracy.Face(
          normalizers: LandmarkNormalizer.allCases.map { $0.pixels(of: landmarks) },
          hasVisiblePoints: table.hasCounterpart(in: landmarks) { $0 == .visible }),
        scheme: landmarks.scheme.name)
      if let face {
        guard faces[face].scheme == scheme else {
          throw .otherScheme(
            faces[face].scheme?.name ?? "no scheme", expected: scheme.name, frame: frame)
        }
        errors.take(
          LandmarkDistances(predicted: table.points(of: faces[face]), label: landmarks),
          of: landmarks)
      }
      measured.append(errors)
    }
    return measured
  }

  private mutating func take(_ distances: LandmarkDistances?, of label: Landmarks) {
    guard let distances else { return }
    face.mean = distances.mean
    face.visibleMean = distances.visibleMean
    face.partMeans = distances.partMeans
    points = face.normalizers[0].map { length in
      distances.points.map { $0.map { $0 / length } }
    }
    if points != nil { places = label.inFrameOfEyeCorners }
  }
}
