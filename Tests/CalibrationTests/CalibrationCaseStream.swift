import Calibration
import Statistics
import TestSupport

/// Cases that a seed alone makes, the same here and in Tests/Oracles.
extension SplitMix64 {
  /// A number in (0, 1).
  mutating func share() -> Double { (Double(next() >> 11) + 0.5) / Double(1 << 53) }
}

/// The largest difference of two lists of equal length; infinite for other lengths.
func largestDifference(_ values: [Double], _ expected: [Double]) -> Double {
  guard values.count == expected.count else { return .infinity }
  return zip(values, expected).reduce(0) {
    max($0, $1.0 == $1.1 ? 0 : abs($1.0 - $1.1).isNaN ? .infinity : abs($1.0 - $1.1))
  }
}
