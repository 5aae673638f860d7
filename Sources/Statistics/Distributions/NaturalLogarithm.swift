internal import Foundation

/// Logarithms of probabilities that may be 0 or 1.
package enum NaturalLogarithm {
  /// The probability in [2⁻⁵², 1 − 2⁻⁵²] that is nearest.
  package static func clipped(_ probability: Double) -> Double {
    min(max(probability, .ulpOfOne), 1 - .ulpOfOne)
  }

  /// The logarithm to base e.
  package static func of(_ probability: Double) -> Double { log(probability) }
}
