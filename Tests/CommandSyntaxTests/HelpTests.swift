import CommandSyntax
import Foundation
import Platform
import TestSupport
import Testing
import greenhouse

@Suite("Help and manual page")
struct HelpTests {
  @Test(
    arguments: [
      ([], 80, "help.txt"), (["water"], 80, "help-water.txt"), (["water"], 50, "help-water-50.txt"),
      (["grow"], 100, "help-grow-100.txt"), (["seeds"], 80, "help-seeds.txt"),
      (["seeds", "sow"], 80, "help-seeds-sow.txt"),
    ] as [([String], Int, String)])
  func `help is laid out as the golden files show`(path: [String], columns: Int, file: String)
    throws
  {
    try expectGolden(try #require(program.help(for: path, columns: columns)), file)
  }

  @Test(
    arguments: [50, 64, 80, 100])
  func `no line of help is wider than asked for, but for examples in the discussion`(columns: Int)
    throws
  {
    for path in [[], ["water"], ["grow"], ["seeds"], ["seeds", "list"], ["seeds", "sow"]] {
      let help = try #require(program.help(for: path, columns: columns))
      let kept = program.declaration.discussion.split(separator: "\n").filter { $0.hasPrefix("  ") }
      let lines = help.split(separator: "\n").filter { !kept.contains($0) }
      let widest = lines.map(\.count).max() ?? 0
      #expect(widest <= columns, "\(path)")
    }
  }

  @Test func `there is no help for a command that is not there`() {
    #expect(program.help(for: ["seeds", "eat"]) == nil)
  }

  @Test func `the manual page is the golden file`() throws {
    try expectGolden(program.manPage, "greenhouse.1")
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/groff")))
  func `groff finds nothing to warn of in the manual page`() throws {
    let page = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).1")
    try Data(program.manPage.utf8).write(to: page)
    defer { try? FileManager.default.removeItem(at: page) }
    let result = try ProcessResult(
      running: "/usr/bin/groff", ["-man", "-ww", "-z", "-Tutf8", page.path])
    #expect(result.status == 0)
    #expect(result.errors == "")
  }

  @Test func `roff's own characters are escaped`() {
    let tricky = CommandDeclaration(
      "tricky", abstract: "Use \"a\\b\"", discussion: ".TH is text\n'so is this\n\n  .SH code\nend")
    let page = ManPage(program: tricky, version: "1").rendered()
    #expect(page.contains("tricky \\- Use \"a\\eb\"\n"))
    #expect(page.contains("\n\\&.TH is text\n\\&'so is this\n.PP\n.nf\n  .SH code\n.fi\nend\n"))
  }

  @Test(
    arguments: [
      ("", 5, []), ("a b c", 3, ["a b", "c"]), ("abcdef g", 3, ["abcdef", "g"]),
      ("顔 顔 顔", 5, ["顔 顔", "顔"]), ("  a   b ", 9, ["a b"]),
    ])
  func `text wraps at spaces by the columns it takes`(text: String, columns: Int, lines: [String]) {
    #expect(TextWrapping.lines(of: text, columns: columns) == lines)
  }
}
