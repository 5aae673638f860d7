internal import Foundation

/// Short spellings of numbers in sentences and captions.
enum NumberText {
  /// A ratio with two decimals.
  static func text(_ value: Double) -> String {
    String(format: "%.2f", value)
  }

  /// Pixels with at most one decimal.
  static func pixels(_ value: Double) -> String {
    value == value.rounded() ? String(format: "%.0f", value) : String(format: "%.1f", value)
  }
}
