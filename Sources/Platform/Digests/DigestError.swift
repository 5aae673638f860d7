/// Why a digest cannot be computed, on one line.
package struct DigestError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was being digested: a file's path, or `bytes`.
  package let object: String
  /// What had to hold.
  package let expected: String
  /// What held instead.
  package let found: String

  /// Makes an error from its parts.
  package init(object: String, expected: String, found: String) {
    self.object = object
    self.expected = expected
    self.found = found
  }

  /// `cannot digest a.task: expected …, found …`.
  package var description: String {
    "cannot digest \(object): expected \(expected), found \(found)"
  }
}
