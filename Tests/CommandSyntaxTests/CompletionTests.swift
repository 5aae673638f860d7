import CommandSyntax
import Foundation
import TestSupport
import Testing
import greenhouse

@Suite("Shell completions")
struct CompletionTests {
  @Test(arguments: CompletionShell.allCases)
  func `the scripts are the golden files`(shell: CompletionShell) throws {
    try expectGolden(shell.script(for: program.declaration), "completion.\(shell.rawValue)")
  }

  @Test(arguments: CompletionShell.allCases)
  func `the program prints the scripts`(shell: CompletionShell) throws {
    let result = try ProcessResult(
      running: greenhousePath, ["--generate-completion-script", shell.rawValue])
    #expect(result.output == shell.script(for: program.declaration))
  }

  @Test(
    arguments: CompletionShell.allCases.filter(\.isInstalled))
  func `each shell that is installed parses its script`(shell: CompletionShell) throws {
    try withGarden(script: shell) { garden in
      let result = try ProcessResult(running: shell.path, ["-n", garden + "/script"])
      #expect(result.errors == "")
      #expect(result.status == 0)
    }
  }

  @Test(
    .enabled(if: CompletionShell.bash.isInstalled),
    arguments: [
      (["wa"], ["water"]), ([""], ["water", "grow", "seeds", "help"]),
      (["water", "--l"], ["--litres"]),
      (
        ["-"], ["--generate-completion-script", "--generate-man-page", "--version", "-h", "--help"]
      ),
      (["water", ""], ["can", "hose", "drip", "a.plant", "beds", "c d.tree"]),
      (["water", "can", ""], ["a.plant", "beds", "c d.tree"]),
      (["water", "a.plant", "-o", ""], ["beds", "log.json"]),
      (["water", "--output", "=", "lo"], ["log.json"]),
      (["water", "--output", "="], ["beds", "log.json"]),
      (["water", "--litres", ""], []), (["water", "--", "-"], []), (["grow", ""], []),
      (["seeds", ""], ["list", "sow"]), (["seeds", "sow", "-d", "1", "be"], ["bean"]),
      (["seeds", "sow", "bean", ""], []), (["help", "se"], ["seeds"]),
      (["--generate-completion-script", ""], ["bash", "zsh", "fish"]),
    ] as [([String], [String])])
  func `bash completes what may stand at the cursor`(words: [String], expected: [String]) throws {
    try withGarden(script: .bash) { garden in
      let line = """
        cd "$1" && source ./script && shift && COMP_WORDS=(greenhouse "$@") COMP_CWORD=$# \
        && $(complete -p greenhouse | cut -d ' ' -f 3) && printf '%s\\n' "${COMPREPLY[@]}"
        """
      let result = try ProcessResult(
        running: CompletionShell.bash.path, ["-c", line, "bash", garden] + words)
      #expect(result.errors == "")
      #expect(result.output.split(separator: "\n").map(String.init) == expected)
    }
  }

  @Test(
    .enabled(if: CompletionShell.fish.isInstalled),
    arguments: [
      ("wa", ["water"]), ("", ["grow", "help", "seeds", "water"]), ("water --li", ["--litres"]),
      ("seeds sow b", ["basil", "bean"]), ("help s", ["seeds"]),
      ("--generate-completion-script=", ["bash", "fish", "zsh"]),
    ])
  func `fish completes what may stand at the cursor`(line: String, expected: [String]) throws {
    try withGarden(script: .fish) { garden in
      let code = "source \(garden)/script; complete -C 'greenhouse \(line)'"
      let result = try ProcessResult(running: CompletionShell.fish.path, ["-N", "-c", code])
      let words = result.output.split(separator: "\n").map { line in
        line.prefix { $0 != "\t" }.split(separator: "=").last.map(String.init) ?? ""
      }
      #expect(words.sorted() == expected)
    }
  }
}

extension CompletionShell {
  fileprivate var path: String { "/usr/bin/\(rawValue)" }
  fileprivate var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }
}

/// Calls the closure with a folder that holds a completion script, some files and a folder.
private func withGarden(script: CompletionShell, _ body: (String) throws -> Void) throws {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(
    at: folder.appending(path: "beds"), withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  for name in ["a.plant", "c d.tree", "log.json"] {
    try Data().write(to: folder.appending(path: name))
  }
  try Data(script.script(for: program.declaration).utf8)
    .write(to: folder.appending(path: "script"))
  try body(folder.path)
}
