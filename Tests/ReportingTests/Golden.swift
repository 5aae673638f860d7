import Foundation
import Testing

/// Compares with `Golden/<name>`; with UPDATE_GOLDEN set it writes the file and fails.
func expectGolden(
  _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Golden").appendingPathComponent(name)
  if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
    try Data(text.utf8).write(to: file)
    Issue.record("wrote \(name): read it, commit it, run again", sourceLocation: sourceLocation)
    return
  }
  let golden = try String(decoding: Data(contentsOf: file), as: UTF8.self)
  let (found, expected) = (lines(of: text), lines(of: golden))
  let differing = zip(found, expected).enumerated().first { $0.element.0 != $0.element.1 }
  if let differing {
    Issue.record(
      """
      \(name), line \(differing.offset + 1):
      expected \(differing.element.1)
      found    \(differing.element.0)
      """, sourceLocation: sourceLocation)
  }
  #expect(found.count == expected.count, "\(name)", sourceLocation: sourceLocation)
}

private func lines(of text: String) -> [Substring] {
  text.split(separator: "\n", omittingEmptySubsequences: false)
}
