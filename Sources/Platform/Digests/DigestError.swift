/// Why a digest cannot be computed, on one line.
package struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was being digested: a file's path, or `bytes`.
  package let object: String
  /// What had to hold.
  package let expected: String
  /// What held instead.
  package let found: String
  /// What the operating system said; nil where it has no part in it.
  package let cause: SystemError?

  /// Makes an error from its parts.
  package init(object: String, expected: String, found: String, cause: SystemError? = nil) {
    self.object = object
    self.expected = expected
    self.found = found
    self.cause = cause
  }

  /// `cannot digest a.task: expected …, found …`.
  package var description: String {
    "cannot digest \(object): expected \(expected), found \(found)"
  }
}
