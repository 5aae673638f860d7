/// Why a picture cannot be read, written or cropped, on one line.
package struct PictureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What was tried: `decode`, `encode`, `crop`.
  package var operation: String
  /// What it was tried on: `JPEG`, or a name that a caller with more context puts here.
  package var object: String
  /// What had to be there.
  package var expected: String
  /// What was there.
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

  /// The same error about a named picture, such as `JPEG frames/17.jpg`.
  package func about(_ name: String) -> PictureError {
    var error = self
    error.object = "\(object) \(name)"
    return error
  }
}
