package import Foundation

/// Why a file, or a program or model that does part of the work, could not be used, in one line.
package struct FileError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What went wrong, as far as a caller must tell cases apart.
  package enum Kind: Sendable {
    /// A file or folder is not there.
    case notFound
    /// The data is not what it should be.
    case wrongData
    /// The output cannot be made.
    case cannotWrite
    /// Reading or writing failed half-way.
    case inputOutput
    /// A program or a model that does part of the work is not there.
    case missing
    /// The machine lacks the instructions that were asked for.
    case unavailable
    /// The caller asked to stop.
    case interrupted
  }

  /// What went wrong.
  package let kind: Kind
  /// Operation, object, expected, found and position, in one line.
  package let description: String
  /// What the operating system said; nil where it has no part in it.
  package let cause: SystemError?

  /// Makes an error; line breaks in the message become spaces.
  package init(_ kind: Kind, _ description: String, cause: SystemError? = nil) {
    self.kind = kind
    self.cause = cause
    self.description =
      description
      .split(whereSeparator: \.isNewline)
      .joined(separator: " ")
  }

  /// Makes an error about an output that cannot be made, such as `cannot write a.h5: no folder b`.
  package init(writing url: URL, _ reason: String, cause: SystemError? = nil) {
    self.init(.cannotWrite, "cannot write \(url.relativePath): \(reason)", cause: cause)
  }

  /// The same with the reason that the system gives.
  package init(writing url: URL, _ error: any Error) {
    self.init(writing: url, error.systemReason, cause: error.systemError)
  }

  /// Makes an error about data that is not what it should be.
  package static func wrongData(_ description: String) -> FileError {
    FileError(.wrongData, description)
  }

  /// Throws that the caller asked to stop, where it has; `message` begins with "interrupted".
  package static func stop(
    if isInterrupted: Bool, _ message: @autoclosure () -> String
  ) throws(FileError) {
    if isInterrupted { throw FileError(.interrupted, message()) }
  }

  /// Makes an error about a part of a file; `position` is empty for the whole file.
  ///
  /// Such as `cannot read 'gates[0].limit' in g.json: expected a finite number, found "high"`.
  package init(
    operation: String = "read", _ source: String, at position: String, expected: String,
    found: String
  ) {
    let object = position.isEmpty ? source : "'\(position)' in \(source)"
    self.init(
      .wrongData, "cannot \(operation) \(object): expected \(expected), found \(found)")
  }
}
