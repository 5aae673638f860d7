/// A score with what came of it, the weight that it has, and what it was drawn together with.
package struct ScoredCase: Sendable, Hashable {
  /// What a threshold is compared with; −∞ for a labelled face that has no score at all.
  package var score: Double
  /// With what weight the case is positive, 0 or more.
  package var positive: Double
  /// With what weight it is negative, 0 or more.
  package var negative: Double
  /// The subject or sequence that it belongs to, any number.
  package var cluster: Int

  /// A case whose outcome is positive by `share`, in [0, 1].
  package init(score: Double, share: Double, weight: Double = 1, cluster: Int = 0) {
    self.score = score
    positive = share * weight
    negative = (1 - share) * weight
    self.cluster = cluster
  }

  /// A case that is positive or negative as a whole.
  package init(score: Double, isPositive: Bool, weight: Double = 1, cluster: Int = 0) {
    self.init(score: score, share: isPositive ? 1 : 0, weight: weight, cluster: cluster)
  }

  /// A positive that no threshold can accept, such as a face without a candidate.
  package static func missed(weight: Double = 1, cluster: Int = 0) -> ScoredCase {
    ScoredCase(score: -.infinity, isPositive: true, weight: weight, cluster: cluster)
  }

  /// Positive and negative part together.
  var weight: Double { positive + negative }

  /// Throws where a part is not what it should be; `index` counts from 0.
  func check(at index: Int) throws(CalibrationError) {
    guard score.isFinite || score == -.infinity else {
      throw .malformedScore(score, case: index)
    }
    guard (0..<Double.infinity).contains(positive), (0..<Double.infinity).contains(negative) else {
      throw .malformedWeights(positive, negative, case: index)
    }
    guard score.isFinite || negative == 0 else { throw .missedNegative(negative, case: index) }
  }
}
