/// How many positives and negatives lie at a score or above it, score by score.
package struct ROCCurve: Sendable {
  /// Weights of positives and negatives so far, by descending score; equal scores enter together.
  private let points: [(positives: Double, negatives: Double)]
  private let positives, negatives: Double

  /// Sorts scores that are not NaN, each with the weights of its positive and its negative part.
  package init(_ scores: [(score: Double, positive: Double, negative: Double)]) {
    let sorted = scores.enumerated().sorted {
      ($0.element.score, $1.offset) > ($1.element.score, $0.offset)
    }
    var points = [(positives: 0.0, negatives: 0.0)]
    var (positives, negatives) = (0.0, 0.0)
    for (position, entry) in sorted.enumerated() {
      positives += entry.element.positive
      negatives += entry.element.negative
      let isLast = position + 1 == sorted.count
      if isLast || sorted[position + 1].element.score != entry.element.score {
        points.append((positives, negatives))
      }
    }
    self.points = points
    (self.positives, self.negatives) = (positives, negatives)
  }

  /// Whether both classes are there.
  package var hasBothClasses: Bool { positives > 0 && negatives > 0 }

  /// The exact area, ties by half; nil where a class is absent.
  package var areaUnder: Double? {
    guard hasBothClasses else { return nil }
    var area = 0.0
    for (before, point) in zip(points, points.dropFirst()) {
      area +=
        (point.negatives - before.negatives) * (before.positives + point.positives) / 2
    }
    return area / (positives * negatives)
  }

  /// Where the rates of false accepts and false rejects are equal, straight between two scores.
  package var equalErrorRate: Double? {
    guard hasBothClasses else { return nil }
    var before = (accepts: 0.0, rejects: 1.0)
    for point in points.dropFirst() {
      let rates = (
        accepts: point.negatives / negatives, rejects: 1 - point.positives / positives
      )
      if rates.accepts >= rates.rejects {
        let gap = before.rejects - before.accepts
        let step = gap + rates.accepts - rates.rejects
        return before.accepts + (rates.accepts - before.accepts) * (step > 0 ? gap / step : 0)
      }
      before = rates
    }
    return before.accepts
  }

  /// The largest share of positives at a score that accepts that share of negatives or less.
  package func trueAcceptRate(atFalseAcceptRate limit: Double) -> Double? {
    guard hasBothClasses else { return nil }
    let allowed = points.filter { $0.negatives <= limit * negatives * (1 + 1e-12) }
    return allowed.map { $0.positives / positives }.max()
  }
}
