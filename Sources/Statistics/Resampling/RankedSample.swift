/// Numbers in their order, whose quantiles in resamples are found by counting instead of sorting.
package struct RankedSample {
  /// Ascending.
  private let sorted: [Double]
  /// The position of each number among the sorted ones.
  package let positions: [Int]

  package init(_ values: [Double]) {
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    sorted = order.map { values[$0] }
    var positions = [Int](repeating: 0, count: values.count)
    for (position, index) in order.enumerated() { positions[index] = position }
    self.positions = positions
  }

  /// The middle of a resample that holds the number at each position `copies` times; one or more in all.
  package func median(of copies: [Int32]) -> Double {
    let count = Int(copies.reduce(0, +))
    return (value((count + 1) / 2, of: copies) + value(count / 2 + 1, of: copies)) / 2
  }

  /// The smallest number that `percent` of the resample do not exceed, as `NearestRank` has it.
  package func percentile(_ percent: Int, of copies: [Int32]) -> Double {
    value(NearestRank.rank(percent, of: Int(copies.reduce(0, +))), of: copies)
  }

  private func value(_ rank: Int, of copies: [Int32]) -> Double {
    var passed = 0
    for (position, count) in copies.enumerated() {
      passed += Int(count)
      if passed >= rank { return sorted[position] }
    }
    return sorted.last ?? .nan
  }
}
