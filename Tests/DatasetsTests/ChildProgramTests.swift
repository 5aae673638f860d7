import Datasets
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct ChildProgramTests {
  @Test(.timeLimit(.minutes(5))) func `a silent program is given up`() throws {
    var program = try ChildProgram.start("sleep", ["300"], in: .tool, isInterrupted: { false })
    program.silenceLimit = .seconds(1)
    var found: FileError?
    do {
      _ = try program.line()
    } catch {
      found = error
    }
    #expect(found?.kind == .inputOutput)
    #expect(found?.description == "sleep gave no output for 1 s")
  }

  // A test that waits for a process of its own goes on behind all tests that are in the queue, so a time limit would
  // be one on the whole suite. The process has an alarm instead, whose signal is not the expected one.
  @Test func `a program ends with its parent, however that ends`() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("process").path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      alarm(240)
      var program = try ChildProgram.start(
        "sh", ["-c", "echo $$ > \(path); echo begun; exec sleep 300"], in: .own,
        isInterrupted: { false })
      _ = try program.line()
      kill(getpid(), SIGKILL)
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(Self.hasEnded(process))
  }

  @Test func `a program that shares the output gives its exit status, if no signal ends it`()
    throws
  {
    func run(_ line: String) throws -> Int? {
      try ChildProgram.run("sh", ["-c", line], limit: .seconds(60)) { false }
    }
    #expect(try run("exit 0") == 0)
    #expect(try run("exit 65") == 65)
    #expect(try run("kill -9 $$") == nil)
    // It reads nothing.
    #expect(try run("read -r line") == 1)
    let error = #expect(throws: FileError.self) {
      try ChildProgram.run("no-such-program", [], limit: .seconds(60)) { false }
    }
    #expect(error?.kind == .missing)
  }

  @Test(.timeLimit(.minutes(5)))
  func `a program that shares the output ends at its limit, and is asked to at an interruption`()
    throws
  {
    let late = #expect(throws: FileError.self) {
      try ChildProgram.run("sleep", ["300"], limit: .milliseconds(50)) { false }
    }
    #expect(late?.kind == .inputOutput)
    #expect(late?.description == "sleep took longer than 0.05 s")
    let folder = try TemporaryFolder()
    let (ready, asked) = (folder.file("ready").path, folder.file("asked").path)
    let script =
      "trap 'echo > \(asked); exit 3' TERM; echo > \(ready); while :; do sleep 0.01; done"
    let stopped = #expect(throws: FileError.self) {
      try ChildProgram.run("sh", ["-c", script], limit: .seconds(240)) {
        FileManager.default.fileExists(atPath: ready)
      }
    }
    #expect(stopped?.kind == .interrupted)
    #expect(FileManager.default.fileExists(atPath: asked))
  }

  @Test func `a program that shares the output ends with its parent, however that ends`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("process").path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      alarm(240)
      _ = try ChildProgram.run(
        "sh", ["-c", "echo $$ > \(path).new; mv \(path).new \(path); exec sleep 300"],
        limit: .seconds(240)
      ) {
        if FileManager.default.fileExists(atPath: path) { kill(getpid(), SIGKILL) }
        return false
      }
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(Self.hasEnded(process))
  }

  @Test(arguments: [false, true])
  func `what a program started in a session of its own ends with it`(isAtEnd: Bool) async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("process").path
    await #expect(processExitsWith: .success) {
      [path = path as String, isAtEnd = isAtEnd as Bool] in
      alarm(240)
      ChildProgram.adoptOrphans()
      // The second orphan ends by itself.
      let line =
        "setsid sh -c 'echo $$ > \(path).new; mv \(path).new \(path); exec sleep 300' "
        + "> /dev/null 2>&1 & "
        + "(setsid sh -c 'echo $$ > \(path).short' &) & "
        + "while [ ! -e \(path) ] || [ ! -s \(path).short ]; do sleep 0.01; done; echo begun; "
        + (isAtEnd ? "" : "sleep 300")
      do {
        var program = try ChildProgram.start(
          "sh", ["-c", line], in: .own, isInterrupted: { false })
        #expect(try program.line() == "begun")
        if isAtEnd { #expect(try program.finish().isSuccess) }
      }
      // Nothing is left to be waited for.
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(Self.hasEnded(process))
  }

  @Test func `only a program that asks for it becomes the parent of orphans`() async throws {
    await #expect(processExitsWith: .success) {
      let line = "setsid sleep 0.05 > /dev/null 2>&1 &"
      let status = try ChildProgram.run("sh", ["-c", line], limit: .seconds(60)) { false }
      #expect(status == 0)
      usleep(500_000)
      #expect(waitpid(-1, nil, WNOHANG) == -1 && errno == ECHILD)
    }
  }

  @Test func `a tool runs in the root folder with few variables, a command with the user's`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      setenv("PIP_INDEX_URL", "http://127.0.0.1:9/", 1)
      setenv("PIP_CERT", "own.pem", 1)
      setenv("LD_PRELOAD_PATH", "x", 1)
      setenv("PATH", ".:\(ProcessInfo.processInfo.environment["PATH"] ?? "")::bin", 1)
      func lines(_ surroundings: ChildProgram.Surroundings) throws -> [String] {
        var program = try ChildProgram.start(
          "sh", ["-c", "pwd; env"], in: surroundings, isInterrupted: { false })
        var lines: [String] = []
        while let line = try program.line() { lines.append(line) }
        _ = try program.finish()
        return lines
      }
      let folder = FileManager.default.currentDirectoryPath
      let tool = try lines(.tool)
      #expect(tool.first == "/")
      #expect(tool.contains("PIP_INDEX_URL=http://127.0.0.1:9/"))
      #expect(tool.contains("PIP_CERT=\(folder)/own.pem"))
      #expect(!tool.contains { $0.hasPrefix("LD_PRELOAD_PATH=") })
      let path = try #require(tool.first { $0.hasPrefix("PATH=") })
      #expect(path.dropFirst(5).split(separator: ":").allSatisfy { $0.hasPrefix("/") })
      let command = try lines(.own)
      #expect(command.first == folder)
      #expect(command.contains("LD_PRELOAD_PATH=x"))
      #expect(command.contains { $0.hasPrefix("PATH=.:") })
    }
  }

  /// Waits until a process is gone, or is left to be waited for by whoever adopted it.
  private static func hasEnded(_ process: pid_t) -> Bool {
    for _ in 0..<1000 {
      let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      guard let status, !status.contains(") Z ") else { return true }
      usleep(20_000)
    }
    return false
  }
}
