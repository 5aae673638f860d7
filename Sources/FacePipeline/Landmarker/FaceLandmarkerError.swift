/// Why a landmarker refuses its options or a frame, in one line.
package struct FaceLandmarkerError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was refused, as far as a caller must tell cases apart.
  package enum Kind: Sendable, Hashable {
    /// An option is out of its range.
    case invalidOption
    /// The call belongs to another running mode.
    case wrongMode
    /// The timestamp is not greater than the one before.
    case timestamp
    /// Live mode was finished already.
    case finished
  }

  /// What was refused.
  package let kind: Kind
  /// Operation, object, expected and found.
  package let description: String

  init(_ kind: Kind, _ operation: String, expected: String, found: String) {
    self.kind = kind
    description = "cannot \(operation): expected \(expected), found \(found)"
  }

  static func wrongMode(_ operation: String, needs: RunningMode, found: RunningMode) -> Self {
    Self(
      .wrongMode, operation, expected: "running mode \(needs.rawValue)", found: found.rawValue)
  }

  static func timestamp(_ microseconds: Int64, after last: Int64) -> Self {
    Self(
      .timestamp, "take the frame at \(microseconds) µs",
      expected: "monotonically increasing timestamps, so one above \(last) µs",
      found: "\(microseconds) µs")
  }
}
