internal import Metrics

/// The rising curve with the smallest squared error, linear between its knots and constant outside them.
///
/// Pool-adjacent-violators; equal scores are one knot with their mean outcome, as scikit-learn's
/// `IsotonicRegression(out_of_bounds="clip")` has it. Sources: Zadrozny and Elkan 2002; de Leeuw, Hornik and
/// Mair 2009.
package struct IsotonicCalibrator: Sendable, Hashable, Codable, FittedMap {
  /// Scores of the knots, ascending.
  package let scores: [Double]
  /// The share of positives at each knot, never falling, in [0, 1].
  package let shares: [Double]

  /// Fits to cases with finite scores.
  package init(fitting cases: [ScoredCase]) throws(CalibrationError) {
    let sample = try CalibrationSample(
      cases, for: "an isotonic calibrator", isProbability: false)
    var knots: [(score: Double, positive: Double, weight: Double)] = []
    for one in sample.cases.sorted(by: { $0.score < $1.score }) {
      if let last = knots.last, last.score == one.score {
        knots[knots.count - 1].positive += one.positive
        knots[knots.count - 1].weight += one.weight
      } else {
        knots.append((one.score, one.positive, one.weight))
      }
    }
    var blocks: [(positive: Double, weight: Double, knots: Int)] = []
    for knot in knots {
      var block = (positive: knot.positive, weight: knot.weight, knots: 1)
      while let last = blocks.last,
        last.positive / last.weight >= block.positive / block.weight
      {
        blocks.removeLast()
        block = (
          block.positive + last.positive, block.weight + last.weight, block.knots + last.knots
        )
      }
      blocks.append(block)
    }
    let levels = blocks.flatMap {
      Array(repeating: min(1, max(0, $0.positive / $0.weight)), count: $0.knots)
    }
    let kept = levels.indices.filter { position in
      position == 0 || position == levels.count - 1 || levels[position] != levels[position - 1]
        || levels[position] != levels[position + 1]
    }
    scores = kept.map { knots[$0].score }
    shares = kept.map { levels[$0] }
  }

  /// The probability that a score stands for; NaN for NaN.
  package func calibrated(_ score: Double) -> Double {
    guard !score.isNaN, let first = scores.first, let last = scores.last else { return .nan }
    if score <= first { return shares[0] }
    if score >= last { return shares[shares.count - 1] }
    let next = (1..<scores.count - 1).partitioningIndex { scores[$0] >= score }
    let slope = (shares[next] - shares[next - 1]) / (scores[next] - scores[next - 1])
    return min(slope * (score - scores[next - 1]) + shares[next - 1], shares[next])
  }

  var isSound: Bool {
    !scores.isEmpty && scores.count == shares.count && scores.allSatisfy(\.isFinite)
      && shares.allSatisfy((0...1).contains) && zip(scores, scores.dropFirst()).allSatisfy(<)
      && zip(shares, shares.dropFirst()).allSatisfy(<=)
  }
}
