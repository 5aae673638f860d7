package import FaceCore

/// How a labelled face and a prediction become a pair whose landmarks, blendshapes, expression and pose are compared.
package struct FacePairing: Sendable, Hashable {
  /// Which pairs there are.
  package enum Rule: String, Sendable, CaseIterable {
    /// Pairs whose boxes have an IoU of .50 or more (`FaceMatching`), and no others.
    case overlap
    /// Whatever a frame offers: the only labelled face with the only prediction, else boxes, else points.
    case nearest
  }

  /// Which pairs there are.
  package var rule: Rule
  /// Largest mean distance of a pair's points, over √(width · height) of the labelled points' tight box.
  package var distance: Double

  /// The rule of detectors.
  package static let overlap = FacePairing(rule: .overlap, distance: defaultDistance)

  /// What `distance` is unless it is given.
  package static let defaultDistance = 0.3

  /// Makes a pairing.
  package init(rule: Rule, distance: Double = defaultDistance) {
    self.rule = rule
    self.distance = distance
  }
}

extension FaceMatching {
  /// What made a pair.
  package enum Basis: String, Sendable, CaseIterable {
    /// IoU of .50 or more of the tight boxes of the points.
    case overlap
    /// The frame has one labelled face and one prediction.
    case only
    /// IoU of .50 or more of the prediction's box with the labelled box.
    case box
    /// The points are within the distance of `FacePairing`.
    case points
  }

  /// The pairs that a rule adds to those of overlapping boxes; these keep their partners.
  ///
  /// Added are, first, the only labelled face of a frame with its only prediction at any distance;
  /// else pairs whose predicted box and labelled box have an IoU of .50 or more, chosen so that it
  /// adds up to the most; then pairs of points within the distance, chosen so that what is left of it
  /// adds up to the most. Ignored labels and crowds, and what lies on them, take no part.
  package func paired(
    by pairing: FacePairing, labels: [FaceLabel], faces: [FacePrediction], frame: Int
  ) throws(MetricError) -> FaceMatching {
    guard pairing.rule == .nearest, !missed.isEmpty, !unmatched.isEmpty else { return self }
    let people = labels.count { $0.category == 1 }
    if people == 1, missed.count == 1, faces.count == 1, faces[0].isFinite {
      return adding([Match(label: missed[0], face: 0, iou: nil, basis: .only)])
    }
    let boxes = faces.map(\.finiteBox)
    let byBox = adding(
      try pairs(.box, frame) { label, face in
        let iou = boxes[face]?.iou(with: labels[label].box) ?? 0
        return iou >= 0.5 ? iou : 0
      })
    let hasPoints = faces.map { !$0.points.isEmpty }
    let byPoints = try byBox.pairs(.points, frame) { label, face in
      guard pairing.distance > 0, hasPoints[face],
        let error = LandmarkDistances.boxError(of: faces[face], from: labels[label])
      else { return 0 }
      // A pair at the very limit weighs more than none.
      return error <= pairing.distance ? 1e-6 + 1 - error / pairing.distance : 0
    }
    return byBox.adding(byPoints)
  }

  private func adding(_ added: [Match]) -> FaceMatching {
    guard !added.isEmpty else { return self }
    let found = Set(added.map(\.label))
    let used = Set(added.map(\.face))
    return FaceMatching(
      matches: (matches + added).sorted { $0.label < $1.label },
      missed: missed.filter { !found.contains($0) },
      unmatched: unmatched.filter { !used.contains($0) }, ignored: ignored, undecided: undecided,
      facesHavePositions: facesHavePositions)
  }

  private func pairs(
    _ basis: Basis, _ frame: Int, _ weight: (_ label: Int, _ face: Int) -> Double
  ) throws(MetricError) -> [Match] {
    let weights = try PairWeights(rows: missed.count, columns: unmatched.count, frame: frame) {
      weight(missed[$0], unmatched[$1])
    }
    return MaximumAssignment.columns(weights).enumerated().compactMap { row, column in
      column.map {
        Match(label: missed[row], face: unmatched[$0], iou: nil, basis: basis)
      }
    }
  }
}

extension FacePrediction {
  /// Whether it has a box or at least one point to compare.
  fileprivate var isFinite: Bool {
    finiteBox != nil || points.contains { $0.x.isFinite && $0.y.isFinite }
  }
}

extension LandmarkDistances {
  /// Mean distance of a prediction's points from a label's, over √(width · height) of the tight box of these.
  fileprivate static func boxError(of face: FacePrediction, from label: FaceLabel) -> Double? {
    guard let scheme = face.scheme,
      let (landmarks, table) = LandmarkCorrespondence.target(of: label, for: scheme),
      let length = LandmarkNormalizer.box.pixels(of: landmarks),
      let distances = LandmarkDistances(predicted: table.points(of: face), label: landmarks)
    else { return nil }
    return distances.mean / length
  }
}
