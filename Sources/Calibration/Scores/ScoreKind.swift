/// What scores are of; the raw value is the word in calibrations.
package enum ScoreKind: Sendable, Hashable, RawRepresentable {
  /// Detections.
  case detection
  /// The presence of a tracked face.
  case presence
  /// A rule of expressions, by its name.
  case expression(String)

  private static let expressionPrefix = "expression:"

  /// Reads `detection`, `presence` or `expression:NAME`.
  package init?(rawValue: String) {
    switch rawValue {
    case "detection": self = .detection
    case "presence": self = .presence
    default:
      guard rawValue.hasPrefix(Self.expressionPrefix) else { return nil }
      self = .expression(String(rawValue.dropFirst(Self.expressionPrefix.count)))
    }
  }

  /// The word in calibrations.
  package var rawValue: String {
    switch self {
    case .detection: "detection"
    case .presence: "presence"
    case .expression(let name): Self.expressionPrefix + name
    }
  }
}
