internal import FaceCore
internal import Metrics

/// Which predicted face has which labelled coefficients.
struct LabelledCoefficients {
  /// Where coefficients come from; nil takes them from the labels.
  let recordings: ReferenceRecordings?

  /// Labelled coefficients of a frame, each list with the face that it is of.
  ///
  /// A label without a box, the only one of its frame, is of the first face that was given out.
  func pairs(
    _ frame: Frame, _ labels: [FaceLabel], _ faces: [FacePrediction], _ matching: FaceMatching
  ) -> [(labelled: [Float], face: FacePrediction)] {
    if let recordings {
      guard let labelled = recordings.coefficients(of: frame), let face = faces.first else {
        return []
      }
      return [(labelled, face)]
    }
    if labels.count == 1, labels[0].box.area == 0, let labelled = labels[0].blendshapes,
      let face = faces.first
    {
      return [(labelled, face)]
    }
    return matching.matches.compactMap { match in
      labels[match.label].blendshapes.map { ($0, faces[match.face]) }
    }
  }
}
