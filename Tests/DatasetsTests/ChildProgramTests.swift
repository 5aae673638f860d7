import Datasets
import Foundation
import Platform
import TestSupport
import Testing

@Suite struct ChildProgramTests {
  @Test(.timeLimit(.minutes(5))) func `a silent program is given up`() throws {
    var program = try ChildProgram.start("sleep", ["300"], isInterrupted: { false })
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

  @Test(.timeLimit(.minutes(5))) func `a program ends with its parent, however that ends`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = folder.file("process").path
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      var program = try ChildProgram.start(
        "sh", ["-c", "echo $$ > \(path); echo begun; exec sleep 300"], isInterrupted: { false })
      _ = try program.line()
      kill(getpid(), SIGKILL)
    }
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    #expect(Self.hasEnded(process))
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
