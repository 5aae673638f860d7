internal import Foundation

/// A shift in a series: values before a position differ in ranks from those after it.
///
/// At every position with `minSegment` values on either side the rank sums are compared (Mann and Whitney). There is a
/// shift if the smallest p, times the number of positions (Holm's adjustment) and times the number of series searched
/// together, is at most `significance`. Its place is where the values differ least from the medians of both sides, by the
/// sum of absolute deviations (Bai 1995): ranks alone say little of a place. Both sides are then searched again.
package struct MedianShift: Sendable, Hashable {
  /// Index of the first value after the shift.
  package let index: Int
  /// Median of the segment before it.
  package let before: Double
  /// Median of the segment from it on.
  package let after: Double
  /// The adjusted p.
  package let p: Double

  /// Minimum number of values on either side of a shift.
  package static let minSegment = 5
  /// The largest adjusted p of a shift.
  package static let significance = 0.05

  /// How few values may show a shift in one of `series` series: a clean step in the middle.
  package static func minCount(of series: Int) -> Int {
    var side = minSegment
    while side < 60,
      splits(
        of: (0..<2 * side).map(Double.init), 0..<2 * side, max(series, 1)
      ).isEmpty
    { side += 1 }
    return 2 * side
  }

  /// The shifts of one of `series` series in their order; segments reach from shift to shift.
  package static func all(in values: [Double], of series: Int = 1) -> [MedianShift] {
    let splits = splits(of: values, 0..<values.count, series)
    let edges = [0] + splits.map(\.index) + [values.count]
    return splits.enumerated().map { position, split in
      MedianShift(
        index: split.index,
        before: median(values[edges[position]..<edges[position + 1]]),
        after: median(values[edges[position + 1]..<edges[position + 2]]), p: split.p)
    }
  }

  private static func splits(
    of values: [Double], _ range: Range<Int>, _ series: Int
  ) -> [(index: Int, p: Double)] {
    guard range.count >= 2 * minSegment else { return [] }
    let positions = (range.lowerBound + minSegment)...(range.upperBound - minSegment)
    let candidates = positions.map { position in
      (
        index: position,
        p: rankSumP(values[range.lowerBound..<position], values[position..<range.upperBound])
      )
    }
    guard let best = candidates.min(by: { ($0.p, $0.index) < ($1.p, $1.index) }) else { return [] }
    let p = min(1, best.p * Double(candidates.count * series))
    guard p <= significance else { return [] }
    let costs = positions.map { position in
      deviation(values[range.lowerBound..<position])
        + deviation(values[position..<range.upperBound])
    }
    let place = positions.lowerBound + (costs.indices.min { costs[$0] < costs[$1] } ?? 0)
    return splits(of: values, range.lowerBound..<place, series) + [(place, p)]
      + splits(of: values, place..<range.upperBound, series)
  }

  /// The sum of absolute deviations from the median.
  private static func deviation(_ values: ArraySlice<Double>) -> Double {
    let median = median(values)
    return values.reduce(0) { $0 + abs($1 - median) }
  }

  /// Two-sided p that two samples differ in location; 1 where all values are equal or a sample is empty.
  ///
  /// Mann and Whitney 1947: exact where no values are equal and one sample has eight or fewer, else by the normal
  /// approximation with correction for ties and continuity, as `scipy.stats.mannwhitneyu` chooses.
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
    if ties == 0, min(first.count, second.count) <= 8 {
      return exactP(Int(max(u, m * n - u)), first.count, second.count)
    }
    let variance = m * n / 12 * (total + 1 - ties / (total * (total - 1)))
    guard variance > 0 else { return 1 }
    let z = (abs(u - m * n / 2) - 0.5) / variance.squareRoot()
    return min(1, erfc(z / 2.0.squareRoot()))
  }

  /// Two-sided p of u or more, without ties: the share of all orders, counted by the position of the largest value.
  private static func exactP(_ u: Int, _ m: Int, _ n: Int) -> Double {
    // counts[a][u]: orders of a values of one sample and b of the other, b growing, with that statistic.
    var counts = [[Double]](repeating: [1] + [Double](repeating: 0, count: m * n), count: m + 1)
    for b in 1...n {
      for a in 1...m {
        for value in stride(from: a * b, through: b, by: -1) {
          counts[a][value] += counts[a - 1][value - b]
        }
      }
    }
    let all = counts[m].reduce(0, +)
    return min(1, 2 * counts[m][u...].reduce(0, +) / all)
  }

  private static func median(_ values: ArraySlice<Double>) -> Double {
    values.sorted().quantileOfSorted(0.5)
  }
}
