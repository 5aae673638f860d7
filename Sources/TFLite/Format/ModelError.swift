/// Why a model could not be loaded; its description is one line.
package struct ModelError: Error, Hashable, CustomStringConvertible {
  /// The kind of error.
  package enum Kind: Sendable, Hashable {
    /// A file or a bundle member is missing.
    case notFound
    /// The bytes contradict themselves or the format.
    case corrupt
    /// The bytes are well-formed and need an unsupported feature.
    case unsupported
  }

  /// The kind of error.
  package var kind: Kind
  /// What was found and where, and what was expected.
  package var message: String
  /// Position in the model's bytes; nil if no single position is the cause.
  package var byteOffset: Int?

  /// Makes an error.
  package init(_ kind: Kind, _ message: String, byteOffset: Int? = nil) {
    self.kind = kind
    self.message = message
    self.byteOffset = byteOffset
  }

  /// One line: the message and the position; line breaks in names from the file become spaces.
  package var description: String {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    return byteOffset.map { "\(line) (at byte \($0))" } ?? line
  }

  /// The same error with the operation as a prefix.
  package func during(_ operation: String) -> ModelError {
    ModelError(kind, "\(operation): \(message)", byteOffset: byteOffset)
  }
}
