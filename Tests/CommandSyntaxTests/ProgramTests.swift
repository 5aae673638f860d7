import CommandSyntax
import Foundation
import TestSupport
import Testing
import greenhouse

@Suite("The built program")
struct ProgramTests {
  @Test(
    arguments: [
      (["water", "a", "b", "-o", "x", "-l", "2"], 0, "8.0 litres\n", ""),
      (["seeds"], 0, "basil\nbean\n", ""),
      (["seeds", "sow", "bean", "-d", "-1"], 0, "bean at -1.0 cm\n", ""),
      (["--version"], 0, "greenhouse 1.2.3\n", ""), (["grow", "5"], 0, "", ""),
      (
        ["water", "weed", "-o", "x"], 65, "",
        "error: cannot water 'weed': expected a plant, found a weed\n"
      ),
      (
        ["water", "drip", "a", "-o", "x", "--rounds", "2"], 64, "",
        """
        error: '--rounds' does not go with the method 'drip'
        USAGE: greenhouse water [<method>] <plant> ... --output <log> [<options>]
          See 'greenhouse water --help' for more information.

        """
      ),
      (
        ["sing"], 64, "",
        """
        error: unknown subcommand 'sing'
        USAGE: greenhouse <subcommand>
          See 'greenhouse --help' for more information.

        """
      ),
      (
        ["--"], 64, "",
        """
        error: missing subcommand
        USAGE: greenhouse <subcommand>
          See 'greenhouse --help' for more information.

        """
      ),
    ] as [([String], Int32, String, String)])
  func `output, errors and exit status go where they belong`(
    words: [String], status: Int32, output: String, errors: String
  ) throws {
    let result = try ProcessResult(running: greenhousePath, words)
    #expect(result.output == output)
    #expect(result.errors == errors)
    #expect(result.status == status && !result.isSignal)
  }

  @Test(
    arguments: [("20", 50), ("70", 70), ("300", 100)])
  func `help is as wide as COLUMNS, between 50 and 100`(variable: String, columns: Int) throws {
    let result = try ProcessResult(
      running: greenhousePath, ["help", "water"], environment: ["COLUMNS": variable])
    #expect(result.output == program.help(for: ["water"], columns: columns))
  }

  @Test func `without a subcommand, help goes to standard error with the status of wrong usage`()
    throws
  {
    let result = try ProcessResult(running: greenhousePath, [])
    #expect(result.status == 64)
    #expect(result.output == "")
    #expect(result.errors == "error: missing subcommand\n" + (program.help() ?? ""))
  }

  @Test func `a reader that leaves early causes no message`() throws {
    let line = "'\(greenhousePath)' grow 1000000 --diary | head -n 1; echo ${PIPESTATUS[0]}"
    let result = try ProcessResult(running: "/bin/bash", ["-c", line])
    #expect(result.output == "day 1\n141\n")
    #expect(result.errors == "")
  }

  @Test func `a full disk is an input/output error`() throws {
    let result = try ProcessResult(
      running: "/bin/bash", ["-c", "'\(greenhousePath)' seeds > /dev/full"])
    #expect(result.errors == "error: cannot write to standard output: No space left on device\n")
    #expect(result.status == 74)
  }

  @Test(
    arguments: [SIGINT, SIGTERM])
  func `the first signal ends a loop in good order, and the process dies of it`(signal: Int32)
    throws
  {
    let words = ["grow", "10000000", "--pause", "5", "--diary"]
    let result = try ProcessResult(running: greenhousePath, words) { process, output in
      try wait(until: output, beginsWith: "day 1\n")
      kill(process.processIdentifier, signal)
    }
    #expect(result.isSignal && result.status == signal)
    #expect(result.errors == "note: interrupted\n")
    #expect(result.output.hasPrefix("day 1\n"))
  }

  @Test func `the second signal ends the process at once, in the middle of what it does`() throws {
    let words = ["grow", "2", "--pause", "3600000", "--diary"]
    let result = try ProcessResult(running: greenhousePath, words) { process, output in
      try wait(until: output, beginsWith: "day 1\n")
      kill(process.processIdentifier, SIGINT)
      // The handler gives way to the system's as it begins.
      try wait { try !handles(SIGINT, process: process.processIdentifier) }
      kill(process.processIdentifier, SIGINT)
    }
    #expect(result.isSignal && result.status == SIGINT)
    #expect(result.output == "day 1\n")
    #expect(result.errors == "")
  }

  @Test func `a signal that the parent ignores stays ignored`() throws {
    // The signal comes between two days: the second pause begins when the first line is there.
    let folder = try TemporaryFolder()
    let line = """
      trap '' INT; '\(greenhousePath)' grow 3 --pause 500 --diary > days &
      until grep -q 'day 1' days || ! kill -0 $!; do sleep 0.01; done
      kill -INT $!; wait $!; echo $?; cat days
      """
    let result = try ProcessResult(running: "/bin/bash", ["-c", line], in: folder.url)
    #expect(result.output == "0\nday 1\nday 2\nday 3\n")
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func `on a terminal the bar is drawn and erased`() throws {
    let command = "'\(greenhousePath)' grow 60 --pause 10"
    let result = try ProcessResult(
      running: "/usr/bin/script", ["-qec", command, "/dev/null"],
      environment: ["TERM": "xterm", "COLUMNS": "60"])
    #expect(result.output.hasPrefix("Growing [--"))
    #expect(result.output.contains("/60 days"))
    #expect(result.output.hasSuffix("\r\u{1B}[K"))
    let dumb = try ProcessResult(
      running: "/usr/bin/script", ["-qec", command, "/dev/null"], environment: ["TERM": "dumb"])
    #expect(dumb.output == "")
  }

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
  func `an interruption erases the bar before it is noted`() throws {
    let folder = try TemporaryFolder()
    let command = "echo $$ > pid; exec '\(greenhousePath)' grow 1000000 --pause 10"
    let result = try ProcessResult(
      running: "/usr/bin/script", ["-qec", command, "/dev/null"], in: folder.url,
      environment: ["TERM": "xterm", "COLUMNS": "60", "NO_COLOR": "1"]
    ) { _, output in
      try wait(until: output, beginsWith: "Growing [--")
      let text = try String(contentsOf: folder.file("pid"), encoding: .utf8)
      kill(try #require(Int32(text.trimmingCharacters(in: .newlines))), SIGINT)
    }
    #expect(result.output.hasPrefix("Growing [--"))
    #expect(result.output.hasSuffix("\r\u{1B}[Knote: interrupted\r\n"))
  }
}
