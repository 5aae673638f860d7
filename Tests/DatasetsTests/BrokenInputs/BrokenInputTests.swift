import Foundation
import TestSupport
import Testing

/// Broken and hostile files of every kind, each with its command, its exit status and its one line.
@Suite struct BrokenInputTests {
  static let all =
    BrokenInput.options + BrokenInput.datasets + BrokenInput.predictions + BrokenInput.labels
    + BrokenInput.recordings + BrokenInput.pictures + (Clip.isPossible ? BrokenInput.videos : [])
    + BrokenInput.models + BrokenInput.documents
    + BrokenInput.imports + BrokenInput.tools + BrokenInput.places

  @Test(arguments: all)
  func `what is broken ends in one line, and nothing is written`(input: BrokenInput) throws {
    let outcome = try BrokenOutcome(of: input)
    #expect(!outcome.isSignal)
    #expect(outcome.status == input.status)
    #expect(outcome.errors.count == 1)
    let isOpen = input.message.hasSuffix("…")
    #expect(
      outcome.errors.first.map { isOpen ? $0.prefix(input.message.count - 1) + "…" : $0 }
        == input.message, "\(outcome.errors)")
    #expect(outcome.output == "")
    // Wrong usage is followed by how to ask for help.
    if input.status != 64 { #expect(outcome.others == []) }
    #expect(outcome.after == outcome.before, "wrote \(outcome.after.keys.sorted())")
  }

  @Test func `no two of them are the same`() {
    let names = Self.all.map { "\($0.what) \($0.command)" }
    #expect(Set(names).count == names.count)
    #expect(Self.all.count >= 60)
  }

  /// The table for people, written where FACEGAUGE_BROKEN_TABLE says.
  @Test(.enabled(if: table != nil, "FACEGAUGE_BROKEN_TABLE names no file"))
  func `the table is written as Markdown`() throws {
    var lines = ["| what is broken | command | status | message |", "|---|---|---:|---|"]
    for input in Self.all {
      let outcome = try BrokenOutcome(of: input)
      let message = outcome.errors.joined(separator: " / ").replacing("|", with: "\\|")
      lines.append(
        "| \(input.what) | `\(input.command)` | \(outcome.status) | \(message) |")
    }
    let file = try #require(Self.table)
    try (lines.joined(separator: "\n") + "\n").write(
      to: URL(filePath: file), atomically: true, encoding: .utf8)
  }

  private static let table = ProcessInfo.processInfo.environment["FACEGAUGE_BROKEN_TABLE"]
}
