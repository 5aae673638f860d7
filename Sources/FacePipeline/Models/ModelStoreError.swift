package import Platform

/// Why a model could not be fetched or used, in one line.
package struct ModelStoreError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as far as a caller must tell cases apart.
  package enum Kind: Sendable {
    /// No source had it.
    case missing
    /// The bytes are not the pinned ones, or not a model of this kind.
    case wrongData
    /// The cache folder cannot be written.
    case cannotWrite
    /// A file that the user named is not there.
    case notFound
    /// The user stopped it.
    case interrupted
    /// The machine lacks the instructions that were asked for.
    case unavailable
  }

  /// What went wrong.
  package let kind: Kind
  /// Operation, object, expected, found and position, in one line.
  package let description: String
  /// What the operating system said; nil where it has no part in it.
  package let cause: SystemError?

  /// Makes an error.
  package init(_ kind: Kind, _ description: String, cause: SystemError? = nil) {
    self.kind = kind
    self.cause = cause
    self.description =
      description.split(whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// Passes on why a file that the user named could not be read.
  init(_ error: FileError) {
    self.init(error.kind == .notFound ? .notFound : .wrongData, error.description)
  }
}
