internal import Foundation

extension SplitMix64 {
  /// A number from 0 up to 1, a multiple of 2⁻⁵³.
  package mutating func uniform() -> Double {
    Double(next() >> 11) * 0x1p-53
  }

  /// Two independent numbers of the standard normal distribution (Box and Muller 1958).
  package mutating func normalPair() -> (Double, Double) {
    let radius = (-2 * log(1 - uniform())).squareRoot()
    let angle = 2 * Double.pi * uniform()
    return (radius * cos(angle), radius * sin(angle))
  }
}
