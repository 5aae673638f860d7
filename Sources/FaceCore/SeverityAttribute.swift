/// The attribute of a frame that holds how severely a degradation changed its image, 0 for not at all.
package enum SeverityAttribute {
  private static let prefix = "severity."

  /// The attribute of a degradation, such as `severity.blur`.
  package static func name(of degradation: String) -> String { prefix + degradation }

  /// The degradation whose severity an attribute holds; nil for other attributes.
  package static func degradation(of attribute: String) -> String? {
    attribute.hasPrefix(prefix) ? String(attribute.dropFirst(prefix.count)) : nil
  }
}
