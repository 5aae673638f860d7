internal import Foundation

/// How many times as long something takes than something else did, from times of the same work in pairs.
///
/// Values are rᵢ = ln(Bᵢ / Aᵢ): 0 means no difference, and a slow-down and its reverse are equally far from it.
/// What slows both of a pair down cancels; what hits one of them is an outlier, which neither estimate follows.
package struct PairedRatios: Sendable, Hashable {
  /// The log ratios, in the order of measuring.
  package let values: [Double]

  /// Takes times in nanoseconds, pairs in the order of measuring; a time under 1 ns counts as 1.
  package init(base: [UInt64], candidate: [UInt64]) {
    values = zip(base, candidate).map { log(Double(max($1, 1)) / Double(max($0, 1))) }
  }

  /// The middle value, or the mean of the middle two; nil without pairs.
  package var median: Double? { Self.median(of: values) }

  /// The middle of any numbers; nil of none.
  static func median(of values: [Double]) -> Double? {
    values.isEmpty
      ? nil : RankedSample(values).median(of: [Int32](repeating: 1, count: values.count))
  }

  /// The median of the means of all two values, each with itself too; nil without pairs.
  ///
  /// To about 1e-14 of the largest value, without forming the n (n + 1) / 2 means.
  /// Source: Hodges and Lehmann 1963.
  package var hodgesLehmann: Double? {
    let sorted = values.sorted()
    guard let minimum = sorted.first, let maximum = sorted.last else { return nil }
    let means = sorted.count * (sorted.count + 1) / 2
    func smallest(_ rank: Int) -> Double {
      var (low, high) = (minimum, maximum)
      // Halves the range until no number lies between its ends.
      while true {
        let middle = low + (high - low) / 2
        guard middle > low, middle < high else { break }
        if Self.means(of: sorted, upTo: middle) >= rank { high = middle } else { low = middle }
      }
      return Self.means(of: sorted, upTo: low) >= rank ? low : high
    }
    return (smallest((means + 1) / 2) + smallest(means / 2 + 1)) / 2
  }

  /// How many of the means of two ascending values are no greater than a limit.
  private static func means(of sorted: [Double], upTo limit: Double) -> Int {
    var count = 0
    var partner = sorted.count - 1
    for (index, value) in sorted.enumerated() {
      while partner >= index, (value + sorted[partner]) / 2 > limit { partner -= 1 }
      guard partner >= index else { break }
      count += partner - index + 1
    }
    return count
  }
}
