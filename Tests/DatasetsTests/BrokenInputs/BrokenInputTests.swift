import Foundation
import TestSupport
import Testing

/// Broken and hostile files of every kind, each with its command, its exit status and its one line.
@Suite struct BrokenInputTests {
  static let all =
    BrokenInput.options + BrokenInput.datasets + BrokenInput.predictions + BrokenInput.labels
    + BrokenInput.recordings + BrokenInput.images + (Clip.isPossible ? BrokenInput.videos : [])
    + BrokenInput.models + BrokenInput.documents + BrokenInput.gates + BrokenInput.pairs
    + BrokenInput.imports + BrokenInput.faceLists + BrokenInput.tools + BrokenInput.positions

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

  /// The table is written to FACEGAUGE_BROKEN_TABLE, where that is set.
  @Test func `the table as Markdown has a row for each`() throws {
    let rows = Self.all.map { input in
      let message = input.message.replacing("|", with: "\\|")
      return "| \(input.what) | `\(input.command)` | \(input.status) | \(message) |"
    }
    #expect(!rows.contains { $0.contains("\n") })
    guard let file = ProcessInfo.processInfo.environment["FACEGAUGE_BROKEN_TABLE"] else { return }
    let head = ["| what is broken | command | status | message |", "|---|---|---:|---|"]
    try ((head + rows).joined(separator: "\n") + "\n").write(
      to: URL(filePath: file), atomically: true, encoding: .utf8)
  }
}
