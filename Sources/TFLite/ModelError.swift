/// Why a model could not be loaded; its description is one line.
package struct ModelError: Error, Hashable, CustomStringConvertible {
  /// What kind of trouble it is.
  package enum Kind: Sendable, Hashable {
    /// A file or a bundle member is not there.
    case notFound
    /// The bytes contradict themselves or the format.
    case corrupt
    /// The bytes are well-formed and ask for something that the engine does not do.
    case unsupported
  }

  /// What kind of trouble it is.
  package var kind: Kind
  /// What was found where, and what was expected.
  package var message: String
  /// Place in the model's bytes; nil where no single place is at fault.
  package var byteOffset: Int?

  /// Makes an error.
  package init(_ kind: Kind, _ message: String, byteOffset: Int? = nil) {
    self.kind = kind
    self.message = message
    self.byteOffset = byteOffset
  }

  /// One line: the message and the place; line breaks in names from the file become spaces.
  package var description: String {
    let line = message.split(whereSeparator: \.isNewline).joined(separator: " ")
    return byteOffset.map { "\(line) (at byte \($0))" } ?? line
  }

  /// The same error with what was being done in front of it.
  package func during(_ operation: String) -> ModelError {
    ModelError(kind, "\(operation): \(message)", byteOffset: byteOffset)
  }
}
