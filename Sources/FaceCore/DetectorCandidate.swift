/// One anchor's answer before suppression: all that is needed to decode again at any threshold.
package struct DetectorCandidate: Sendable, Hashable {
  /// Index of the anchor.
  package var anchor: Int
  /// Confidence in [0, 1].
  package var score: Float
  /// Box centre, box size and six points, in input pixels relative to the anchor's centre.
  package var regressors: SIMD16<Float>

  /// Makes a candidate.
  package init(anchor: Int, score: Float, regressors: SIMD16<Float>) {
    self.anchor = anchor
    self.score = score
    self.regressors = regressors
  }
}
