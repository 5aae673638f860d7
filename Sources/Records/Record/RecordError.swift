/// What is wrong with a record or a gates file, as one line: operation, position, file, expected, found.
package struct RecordError: Error, Hashable, CustomStringConvertible {
  /// Whether the file was being read or written.
  package enum Operation: String, Sendable {
    /// Bytes to values.
    case read
    /// Values to bytes.
    case write
  }

  /// What was being done.
  package var operation: Operation
  /// Name of the file, as the user gave it.
  package var source: String
  /// Path inside the file, such as `gates[2].limit`; empty for the whole file.
  package var position: String
  /// What should have been there.
  package var expected: String
  /// What was there.
  package var found: String

  /// Names what was being done to what, what should have been there and what was.
  package init(
    operation: Operation, source: String, position: String, expected: String, found: String
  ) {
    self.operation = operation
    self.source = source
    self.position = position
    self.expected = expected
    self.found = found
  }

  /// One line without a full stop, such as `cannot read 'gates[0].limit' in g.json: expected …`.
  package var description: String {
    let object = position.isEmpty ? source : "'\(position)' in \(source)"
    let line = "cannot \(operation.rawValue) \(object): expected \(expected), found \(found)"
    return String(line.map { $0.isNewline ? " " : $0 })
  }
}
