import Foundation
import Testing

/// Compares a text with a file under Golden; with `UPDATE_GOLDEN` set it writes the file and fails.
func expectGolden(
  _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)")
  if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
    try Data(text.utf8).write(to: file)
    Issue.record("wrote \(name); look at it and run again", sourceLocation: sourceLocation)
  }
  let expected = try String(contentsOf: file, encoding: .utf8)
  #expect(text == expected, "differs from \(name)", sourceLocation: sourceLocation)
}
