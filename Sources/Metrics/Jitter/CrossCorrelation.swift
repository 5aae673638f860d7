/// By how many samples one set of signals trails another.
package enum CrossCorrelation {
  /// A delay, or why there is none.
  enum Delay: Sendable, Hashable {
    /// In samples; positive where the second set trails the first.
    case samples(Double)
    /// One of the sets does not vary.
    case constant
    /// The correlation still rises at the end of the range.
    case outOfRange
  }

  /// The delay with the largest correlation, between samples by a parabola through its neighbours.
  ///
  /// The correlation at a delay is Pearson's over the samples that then overlap, means per signal,
  /// sums over all signals. Both sets hold as many signals of as many samples; `range` is the largest
  /// delay tried and less than half of the samples. Of equal peaks the one nearest to 0 wins.
  static func delay(of later: [[Double]], after earlier: [[Double]], range: Int) -> Delay {
    var correlations: [Double] = []
    for delay in -range...range {
      guard let value = correlation(of: later, after: earlier, by: delay) else { return .constant }
      correlations.append(value)
    }
    var peak = 0
    for distance in 1...range {
      for delay in [distance, -distance]
      where correlations[delay + range] > correlations[peak + range] { peak = delay }
    }
    guard abs(peak) < range else { return .outOfRange }
    let around = correlations[(peak + range - 1)...(peak + range + 1)].map { $0 }
    return .samples(Double(peak) + vertex(around[0], around[1], around[2]))
  }

  /// The median of times between frames, the lower of two in the middle; nil where it is not above 0.
  static func median(ofIntervals intervals: [Int64]) -> Double? {
    let sorted = intervals.sorted()
    guard !sorted.isEmpty, sorted[(sorted.count - 1) / 2] > 0 else { return nil }
    return Double(sorted[(sorted.count - 1) / 2])
  }

  /// Where between its neighbours the parabola through three numbers is highest, from −1 to 1; 0 where it is not bent.
  package static func vertex(_ before: Double, _ at: Double, _ after: Double) -> Double {
    let curvature = before - 2 * at + after
    return curvature < 0 ? min(1, max(-1, (before - after) / (2 * curvature))) : 0
  }

  /// Pearson's correlation at a delay, over the samples that then overlap; nil where a set does not vary.
  ///
  /// The signals of one set have one length, which may differ between the sets.
  package static func correlation(
    of later: [[Double]], after earlier: [[Double]], by delay: Int
  ) -> Double? {
    var (product, earlierPower, laterPower) = (0.0, 0.0, 0.0)
    for (first, second) in zip(earlier, later) {
      let overlap = max(0, -delay)..<max(max(0, -delay), min(first.count, second.count - delay))
      guard !overlap.isEmpty else { return nil }
      let first = first[overlap]
      let second = second[(overlap.lowerBound + delay)..<(overlap.upperBound + delay)]
      let firstMean = first.reduce(0, +) / Double(first.count)
      let secondMean = second.reduce(0, +) / Double(second.count)
      for (x, y) in zip(first, second) {
        product += (x - firstMean) * (y - secondMean)
        earlierPower += (x - firstMean) * (x - firstMean)
        laterPower += (y - secondMean) * (y - secondMean)
      }
    }
    let scale = (earlierPower * laterPower).squareRoot()
    return scale > 0 ? product / scale : nil
  }
}
