package import FaceCore
internal import Statistics

/// How far the predicted points of one face are from its labelled points, in pixels.
///
/// Divided by a `LandmarkNormalizer`, a mean is the face's normalised mean error (NME).
package struct LandmarkDistances: Sendable, Hashable {
  /// Distance of each point; nil where it has no label or no prediction.
  package let points: [Double?]
  /// Mean over the points that have one.
  package let mean: Double
  /// Mean over those that are labelled as visible; nil for none.
  package let visibleMean: Double?
  /// Mean over the points of each part, in the order of `FacePart`; nil for none.
  package let partMeans: [Double?]

  /// Compares points in the label's order; nil where none has both, or one is not finite.
  package init?(predicted: [Point?], label: Landmarks) {
    let distances = zip(zip(predicted, label.points), label.visibility).map { pair, visibility in
      visibility == .notLabelled ? nil : pair.0.map { $0.distance(to: pair.1) }
    }
    func mean(of indices: some Sequence<Int>) -> Double? {
      indices.compactMap { distances[$0] }.mean
    }
    guard let whole = mean(of: distances.indices), whole.isFinite else { return nil }
    points = distances
    self.mean = whole
    visibleMean = mean(of: distances.indices.filter { label.visibility[$0] == .visible })
    let layout = LandmarkLayout.of(label.scheme)
    partMeans = FacePart.allCases.map { part in mean(of: layout?.parts[part] ?? []) }
  }
}
