/// One anchor's answer before suppression: all that is needed to decode again at any threshold.
public struct DetectorCandidate: Sendable, Hashable {
  /// Index of the anchor.
  public var anchor: Int
  /// Confidence in [0, 1].
  public var score: Float
  /// Box centre, box size and six points, in input pixels relative to the anchor's centre.
  public var regressors: SIMD16<Float>

  /// Makes a candidate.
  public init(anchor: Int, score: Float, regressors: SIMD16<Float>) {
    self.anchor = anchor
    self.score = score
    self.regressors = regressors
  }
}
