internal import Glibc

/// A place in a series from which on its values are others: where the ranks before and after differ most.
///
/// At every place with `leastSegment` values on either side the rank sums are compared (Mann and Whitney, normal
/// approximation with correction for ties and continuity). The place with the smallest p counts where p times the
/// number of places, which is what Holm's adjustment makes of the smallest, is at most `significance`. Both
/// sides are then searched in the same way.
package struct MedianShift: Sendable, Hashable {
  /// Index of the first value after the shift.
  package let index: Int
  /// Median of the segment before it.
  package let before: Double
  /// Median of the segment from it on.
  package let after: Double
  /// The adjusted p.
  package let p: Double

  /// Values on either side of a shift at least.
  package static let leastSegment = 5
  /// The largest adjusted p of a shift.
  package static let significance = 0.05

  /// The shifts of a series in their order; segments reach from shift to shift.
  package static func all(in values: [Double]) -> [MedianShift] {
    let splits = splits(of: values, 0..<values.count)
    let edges = [0] + splits.map(\.index) + [values.count]
    return splits.enumerated().map { place, split in
      MedianShift(
        index: split.index,
        before: median(values[edges[place]..<edges[place + 1]]),
        after: median(values[edges[place + 1]..<edges[place + 2]]), p: split.p)
    }
  }

  private static func splits(
    of values: [Double], _ range: Range<Int>
  ) -> [(index: Int, p: Double)] {
    guard range.count >= 2 * leastSegment else { return [] }
    let places = (range.lowerBound + leastSegment)...(range.upperBound - leastSegment)
    let candidates = places.map { place in
      (
        index: place,
        p: rankSumP(values[range.lowerBound..<place], values[place..<range.upperBound])
      )
    }
    guard let best = candidates.min(by: { ($0.p, $0.index) < ($1.p, $1.index) }) else { return [] }
    let p = min(1, best.p * Double(candidates.count))
    guard p <= significance else { return [] }
    return splits(of: values, range.lowerBound..<best.index) + [(best.index, p)]
      + splits(of: values, best.index..<range.upperBound)
  }

  /// Two-sided p that two samples differ in location; 1 where all values are equal or a sample is empty.
  ///
  /// Mann and Whitney 1947, normal approximation; `scipy.stats.mannwhitneyu` with `method="asymptotic"`.
  package static func rankSumP(_ first: ArraySlice<Double>, _ second: ArraySlice<Double>) -> Double
  {
    let pooled = (first.map { ($0, true) } + second.map { ($0, false) }).sorted { $0.0 < $1.0 }
    let (m, n, total) = (Double(first.count), Double(second.count), Double(pooled.count))
    guard m > 0, n > 0 else { return 1 }
    var (rankSum, ties) = (0.0, 0.0)
    var start = 0
    while start < pooled.count {
      var end = start
      while end < pooled.count, pooled[end].0 == pooled[start].0 { end += 1 }
      let rank = Double(start + end + 1) / 2
      rankSum += rank * Double(pooled[start..<end].count { $0.1 })
      let tied = Double(end - start)
      ties += tied * tied * tied - tied
      start = end
    }
    let u = rankSum - m * (m + 1) / 2
    let variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)))
    guard variance > 0 else { return 1 }
    let z = (abs(u - m * n / 2) - 0.5) / variance.squareRoot()
    return min(1, erfc(z / 2.0.squareRoot()))
  }

  private static func median(_ values: ArraySlice<Double>) -> Double {
    values.sorted().quantileOfSorted(0.5)
  }
}
