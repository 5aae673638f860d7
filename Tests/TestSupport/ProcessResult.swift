package import Foundation
internal import Glibc

/// How a process ended and its output.
package struct ProcessResult: Sendable {
  /// Its exit status, or the signal that ended it.
  package let status: Int32
  /// Whether a signal ended it.
  package let isSignal: Bool
  /// What it wrote to standard output.
  package let output: String
  /// What it wrote to standard error.
  package let errors: String

  /// Tests that a shell has put into the background ignore Ctrl-C, and so would their children.
  private static let takesSignals: Void = {
    for one in [SIGINT, SIGTERM, SIGHUP] { signal(one, SIG_DFL) }
  }()

  /// The path of a program of the package, which is next to the running tests.
  package static func path(ofBuilt program: String) -> String {
    URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
      .appending(path: program).path
  }

  /// Runs a program to its end with nothing on standard input; the closure may read its output so far.
  ///
  /// The terminal and the CI job that the tests run on have no part in its environment.
  package init(
    running path: String, _ words: [String], in folder: URL? = nil,
    environment: [String: String] = [:],
    whileRunning: (Process, _ output: URL) throws -> Void = { _, _ in }
  ) throws {
    Self.takesSignals
    let streams = try TemporaryFolder()
    let files = [try streams.write("", to: "output"), try streams.write("", to: "errors")]
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = words
    if let folder { process.currentDirectoryURL = folder }
    process.environment = ProcessInfo.processInfo.environment
      .filter { !["COLUMNS", "GITHUB_STEP_SUMMARY", "NO_COLOR", "TERM"].contains($0.key) }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    try whileRunning(process, files[0])
    process.waitUntilExit()
    status = process.terminationStatus
    isSignal = process.terminationReason == .uncaughtSignal
    output = try String(contentsOf: files[0], encoding: .utf8)
    errors = try String(contentsOf: files[1], encoding: .utf8)
  }
}
