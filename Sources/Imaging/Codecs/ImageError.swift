/// Why an image cannot be read, written or cropped, on one line.
package struct ImageError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The operation: `decode`, `encode`, `crop`.
  package var operation: String
  /// The object: `JPEG`, or a name from a caller with more context.
  package var object: String
  /// The expected state.
  package var expected: String
  /// The actual state.
  package var found: String

  /// Makes an error from its parts.
  package init(_ operation: String, _ object: String, expected: String, found: String) {
    self.operation = operation
    self.object = object
    self.expected = expected
    self.found = found
  }

  /// `cannot decode JPEG: expected …, found …`.
  package var description: String {
    "cannot \(operation) \(object): expected \(expected), found \(found)"
  }

  /// The same error about a named image, such as `JPEG frames/17.jpg`.
  package func about(_ name: String) -> ImageError {
    var error = self
    error.object = "\(object) \(name)"
    return error
  }
}
