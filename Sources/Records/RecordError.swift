/// What is wrong with a record or a gates file, as one line: operation, place, file, expected, found.
public struct RecordError: Error, Hashable, CustomStringConvertible {
  /// Whether the file was being read or written.
  public enum Operation: String, Sendable {
    /// Bytes to values.
    case read
    /// Values to bytes.
    case write
  }

  /// What was being done.
  public var operation: Operation
  /// Name of the file, as the user gave it.
  public var source: String
  /// Path inside the file, such as `gates[2].limit`; empty for the whole file.
  public var place: String
  /// What should have been there.
  public var expected: String
  /// What was there.
  public var found: String

  /// Names what was being done to what, what should have been there and what was.
  package init(
    operation: Operation, source: String, place: String, expected: String, found: String
  ) {
    self.operation = operation
    self.source = source
    self.place = place
    self.expected = expected
    self.found = found
  }

  /// One line without a full stop, such as `cannot read 'gates[0].limit' in g.json: expected …`.
  public var description: String {
    let object = place.isEmpty ? source : "'\(place)' in \(source)"
    let line = "cannot \(operation.rawValue) \(object): expected \(expected), found \(found)"
    return String(line.map { $0.isNewline ? " " : $0 })
  }
}
