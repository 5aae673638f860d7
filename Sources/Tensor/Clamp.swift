/// The activations that limit a value to a range.
package struct Clamp: Sendable, Hashable {
  /// Lower limit.
  package var low: Float
  /// Upper limit.
  package var high: Float

  /// Makes a clamp.
  package init(low: Float, high: Float) {
    self.low = low
    self.high = high
  }

  /// No activation.
  package static let none = Clamp(low: -.infinity, high: .infinity)
  /// RELU, 0 and above.
  package static let relu = Clamp(low: 0, high: .infinity)
  /// RELU6, from 0 to 6.
  package static let relu6 = Clamp(low: 0, high: 6)
  /// RELU_N1_TO_1, from -1 to 1.
  package static let reluN1To1 = Clamp(low: -1, high: 1)
}
