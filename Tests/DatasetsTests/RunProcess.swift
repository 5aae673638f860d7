import Foundation

struct ProcessResult {
  let status: Int32
  let isSignal: Bool
  let output: String
  let errors: String
}

/// Runs a program to its end with nothing on standard input.
func run(_ path: String, _ words: [String]) throws -> ProcessResult {
  let folder = try TemporaryFolder()
  let files = [try folder.write("", to: "output"), try folder.write("", to: "errors")]
  let process = Process()
  process.executableURL = URL(filePath: path)
  process.arguments = words
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = try FileHandle(forWritingTo: files[0])
  process.standardError = try FileHandle(forWritingTo: files[1])
  try process.run()
  process.waitUntilExit()
  return ProcessResult(
    status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
    output: try String(contentsOf: files[0], encoding: .utf8),
    errors: try String(contentsOf: files[1], encoding: .utf8))
}

/// The built facegauge program, which lies beside the running tests.
let facegaugePath: String = {
  let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  return tests.deletingLastPathComponent().appending(path: "facegauge").path
}()
