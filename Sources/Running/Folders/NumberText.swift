internal import Foundation

/// Short spellings of numbers in sentences and captions.
package enum NumberText {
  /// A ratio with two decimals.
  package static func text(_ value: Double) -> String {
    String(format: "%.2f", value)
  }

  /// Pixels with at most one decimal.
  package static func pixels(_ value: Double) -> String {
    value == value.rounded() ? String(format: "%.0f", value) : String(format: "%.1f", value)
  }
}
