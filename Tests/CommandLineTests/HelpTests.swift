import CommandSyntax
import Foundation
import TestSupport
import Testing
import facegauge

@Suite("Help")
struct HelpTests {
  static let paths: [[String]] =
    [[]]
    + facegauge.program.declaration.subcommands.flatMap { command in
      [[command.name]] + command.subcommands.map { [command.name, $0.name] }
    }

  @Test func `the declarations have no mistakes`() {
    #expect(facegauge.program.declaration.mistakes == [])
  }

  @Test(arguments: paths)
  func `the program prints the help that the golden files show`(path: [String]) throws {
    let name = (["help"] + path).joined(separator: "-") + ".txt"
    let result = try Workbench().facegauge(["help"] + path, environment: ["COLUMNS": "80"])
    #expect(result.status == 0 && result.errors == "")
    try expectGolden(result.output, name)
    let asked = try Workbench().facegauge(path + ["--help"], environment: ["COLUMNS": "80"])
    #expect(asked.output == result.output)
  }

  @Test(arguments: paths)
  func `short help is one screen with an example, and names what has the rest`(
    path: [String]
  ) throws {
    let command = try #require(
      path.reduce(facegauge.program.declaration) { command, name in
        command?.subcommands.first { $0.name == name }
      })
    let help = try #require(facegauge.program.help(for: path, isShort: true))
    guard command.subcommands.isEmpty else { return }
    let lines = help.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 50 && lines.allSatisfy { $0.count <= 80 }, "\(lines.count) lines")
    #expect(help.hasSuffix("options.\n") || help.hasSuffix("explains more.\n"))
    #expect(!help.contains("see above"))
    for name in command.essentials { #expect(help.contains("--\(name)")) }
    #expect(try Workbench().facegauge(path + ["-h"], environment: ["COLUMNS": "80"]).output == help)
  }

  @Test func `no golden file is left over from a command that has gone`() throws {
    let names = Self.paths.map { (["help"] + $0).joined(separator: "-") + ".txt" }
    let files = try FileManager.default.contentsOfDirectory(atPath: goldenFolder.path)
    #expect(Set(files) == Set(names))
  }

  @Test(arguments: paths)
  func `no line of help is wider than the terminal`(path: [String]) throws {
    let help = try #require(facegauge.program.help(for: path, columns: 80))
    for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
  }

  @Test(arguments: ["force", "json", "resume", "seed", "gates", "inconclusive", "max-bad-frames"])
  func `an option of several commands has one wording`(name: String) throws {
    let program = facegauge.program.declaration
    let commands = program.subcommands + program.subcommands.flatMap(\.subcommands)
    let found = commands.flatMap(\.options).filter { $0.name == name }.map(\.help)
    #expect(found.count > 1 && Set(found).count == 1, "\(Set(found))")
  }

  @Test(arguments: paths)
  func `the help of an option names options that its command has`(path: [String]) throws {
    let command = try #require(
      path.reduce(facegauge.program.declaration) { command, name in
        command?.subcommands.first { $0.name == name }
      })
    let names = Set(command.options.map(\.name) + ["help"])
    // Options of a command that is named are its own.
    for option in command.options where !option.help.contains("'facegauge ") {
      for match in option.help.matches(of: /--([a-z-]+)/) {
        #expect(names.contains(String(match.1)), "\(option.name): \(match.0)")
      }
    }
  }

  @Test func `the help of every option is a sentence`() throws {
    let program = facegauge.program.declaration
    for command in program.subcommands + program.subcommands.flatMap(\.subcommands) {
      for option in command.options {
        #expect(option.help.first?.isUppercase == true, "\(option.name)")
      }
    }
  }

  @Test func `the version is printed by every command`() throws {
    let version = "facegauge \(facegauge.program.version)\n"
    for path in Self.paths {
      #expect(try Workbench().facegauge(path + ["--version"]).output == version)
    }
  }

  @Test(
    arguments: ["bash", "zsh", "fish"])
  func `completions are sound shell`(shell: String) throws {
    let bench = try Workbench()
    let result = try bench.facegauge(["--generate-completion-script", shell])
    #expect(result.status == 0)
    #expect(result.output.contains("min-face-detection-confidence"))
    try bench.write(result.output, to: "script")
    let check = try bench.shell("command -v \(shell) >/dev/null || exit 0; \(shell) -n script")
    #expect(check.status == 0, "\(check.errors)")
  }
}

private let goldenFolder = URL(filePath: #filePath).deletingLastPathComponent()
  .appending(path: "Golden")

/// Compares a text with a file under Golden; with `UPDATE_GOLDEN` set it writes the file and fails.
private func expectGolden(
  _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let file = goldenFolder.appending(path: name)
  if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] != nil {
    try Data(text.utf8).write(to: file)
    Issue.record("wrote \(name); look at it and run again", sourceLocation: sourceLocation)
  }
  let expected = try String(contentsOf: file, encoding: .utf8)
  #expect(text == expected, "differs from \(name)", sourceLocation: sourceLocation)
}
