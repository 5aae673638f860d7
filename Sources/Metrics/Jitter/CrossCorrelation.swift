/// By how many samples one set of signals trails another.
enum CrossCorrelation {
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
  static func delay(of later: [[Double]], behind earlier: [[Double]], range: Int) -> Delay {
    var correlations: [Double] = []
    for delay in -range...range {
      guard let value = correlation(of: later, behind: earlier, by: delay) else { return .constant }
      correlations.append(value)
    }
    var peak = 0
    for distance in 1...range {
      for delay in [distance, -distance]
      where correlations[delay + range] > correlations[peak + range] { peak = delay }
    }
    guard abs(peak) < range else { return .outOfRange }
    let around = correlations[(peak + range - 1)...(peak + range + 1)].map { $0 }
    let curvature = around[0] - 2 * around[1] + around[2]
    let offset = curvature < 0 ? (around[0] - around[2]) / (2 * curvature) : 0
    return .samples(Double(peak) + offset)
  }

  private static func correlation(
    of later: [[Double]], behind earlier: [[Double]], by delay: Int
  ) -> Double? {
    var (product, earlierPower, laterPower) = (0.0, 0.0, 0.0)
    for (first, second) in zip(earlier, later) {
      let first = first[max(0, -delay)..<(first.count - max(0, delay))]
      let second = second[max(0, delay)..<(second.count - max(0, -delay))]
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
