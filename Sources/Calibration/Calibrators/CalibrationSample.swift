/// Cases that a calibrator can be fitted to: both outcomes, scores that differ.
struct CalibrationSample {
  let method: String
  /// The cases that have a weight.
  let cases: [ScoredCase]
  /// Weight of all positive parts.
  let positives: Double
  /// Weight of all negative parts.
  let negatives: Double

  static let separated =
    "the scores separate the classes, so no finite slope is best"
  static let unbounded = "no finite parameters are best"
  static let reversed = "higher scores go with fewer positives"

  /// Checks cases; with `isProbability` scores must be in [0, 1].
  init(
    _ cases: [ScoredCase], for method: String, isProbability: Bool
  ) throws(CalibrationError) {
    self.method = method
    for (index, one) in cases.enumerated() {
      try one.check(at: index)
      guard one.score.isFinite else {
        throw .unfit(method, "expected a score in case \(index + 1), found a miss")
      }
      guard !isProbability || (0...1).contains(one.score) else {
        throw .unfit(
          method, "expected a score in [0, 1] in case \(index + 1), found \(one.score)")
      }
    }
    self.cases = cases.filter { $0.weight > 0 }
    positives = self.cases.reduce(0) { $0 + $1.positive }
    negatives = self.cases.reduce(0) { $0 + $1.negative }
    guard let first = self.cases.first else { throw .unfit(method, "there are no cases") }
    guard positives > 0, negatives > 0 else {
      throw .unfit(method, "all cases are \(positives > 0 ? "positive" : "negative")")
    }
    guard self.cases.contains(where: { $0.score != first.score }) else {
      throw .unfit(method, "all scores are \(first.score)")
    }
  }

  /// Whether some positive scores below some negative and some above one.
  var overlaps: Bool {
    let found = cases.filter { $0.positive > 0 }.map(\.score)
    let others = cases.filter { $0.negative > 0 }.map(\.score)
    guard let lowest = found.min(), let highest = found.max(), let low = others.min(),
      let high = others.max()
    else { return false }
    return lowest < high && low < highest
  }
}
