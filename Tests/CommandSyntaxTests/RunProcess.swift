import Foundation

struct ProcessResult {
  let status: Int32
  let isSignal: Bool
  let output: String
  let errors: String
}

/// Runs a program to its end with nothing on standard input; the closure may read its output so far.
func run(
  _ path: String, _ words: [String], environment: [String: String] = [:],
  whileRunning: (Process, _ output: URL) throws -> Void = { _, _ in }
) throws -> ProcessResult {
  let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(at: folder) }
  let files = ["output", "errors"].map { folder.appending(path: $0) }
  for file in files { try Data().write(to: file) }
  let process = Process()
  process.executableURL = URL(filePath: path)
  process.arguments = words
  process.environment = ProcessInfo.processInfo.environment
    .filter { !["COLUMNS", "NO_COLOR", "TERM"].contains($0.key) }
    .merging(environment) { $1 }
  process.standardInput = FileHandle.nullDevice
  process.standardOutput = try FileHandle(forWritingTo: files[0])
  process.standardError = try FileHandle(forWritingTo: files[1])
  try process.run()
  try whileRunning(process, files[0])
  process.waitUntilExit()
  return ProcessResult(
    status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
    output: try String(contentsOf: files[0], encoding: .utf8),
    errors: try String(contentsOf: files[1], encoding: .utf8))
}

/// Waits until a file begins with the text, for 30 seconds at most.
func wait(until file: URL, beginsWith text: String) throws {
  for _ in 0..<3000 where try !String(contentsOf: file, encoding: .utf8).hasPrefix(text) {
    Thread.sleep(forTimeInterval: 0.01)
  }
}

/// The built greenhouse program, which lies beside the running tests.
let greenhousePath: String = {
  let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
  return tests.deletingLastPathComponent().appending(path: "greenhouse").path
}()
