internal import Foundation

/// Times two ways of doing the same thing, alternating, so other load on the machine affects both.
package enum AlternatingPairs {
  /// ln(second / first) for each pair; the order is first second, second first, first second …
  ///
  /// Both closures get the pair's number and return nanoseconds, 1 or more counted.
  package static func logRatios<Failure: Error>(
    _ count: Int, first: (Int) throws(Failure) -> UInt64,
    second: (Int) throws(Failure) -> UInt64
  ) throws(Failure) -> [Double] {
    var ratios: [Double] = []
    ratios.reserveCapacity(count)
    for pair in 0..<count {
      let (a, b): (UInt64, UInt64)
      if pair.isMultiple(of: 2) {
        a = try first(pair)
        b = try second(pair)
      } else {
        b = try second(pair)
        a = try first(pair)
      }
      ratios.append(log(Double(max(b, 1)) / Double(max(a, 1))))
    }
    return ratios
  }
}
