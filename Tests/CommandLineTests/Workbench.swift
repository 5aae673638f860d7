import Foundation
import Testing

/// How a process ended and what it said.
struct ProcessResult {
  let status: Int32
  let isSignal: Bool
  let output: String
  let errors: String

  /// The lines of standard error that begin with `error:`.
  var errorLines: [Substring] {
    errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
  }
}

/// A folder of a test's own, in which the built program is run.
final class Workbench: Sendable {
  let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory
      .appending(path: "facegauge-\(UUID().uuidString)", directoryHint: .isDirectory)
      .resolvingSymlinksInPath()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The built program, which lies beside the running tests.
  static let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "facegauge").path

  /// Runs `facegauge` in the folder to its end, with nothing on standard input.
  func facegauge(
    _ words: [String], environment: [String: String] = [:],
    whileRunning: (Process) throws -> Void = { _ in }
  ) throws -> ProcessResult {
    try run(Self.program, words, environment: environment, whileRunning: whileRunning)
  }

  /// Runs a line of bash in the folder, in which `$facegauge` is the program.
  func shell(_ line: String, environment: [String: String] = [:]) throws -> ProcessResult {
    try run(
      "/bin/bash", ["-c", line],
      environment: environment.merging(["facegauge": Self.program]) { first, _ in first })
  }

  /// Runs the program on a terminal of 80 columns; what it writes to both streams is the output.
  func terminal(_ words: String, environment: [String: String] = [:]) throws -> ProcessResult {
    try run(
      "/usr/bin/script", ["-qec", "'\(Self.program)' \(words)", "/dev/null"],
      environment: ["TERM": "xterm", "COLUMNS": "80"].merging(environment) { $1 })
  }

  static let hasTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  private func run(
    _ path: String, _ words: [String], environment: [String: String],
    whileRunning: (Process) throws -> Void = { _ in }
  ) throws -> ProcessResult {
    let streams = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: streams, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: streams) }
    let files = ["output", "errors"].map { streams.appending(path: $0) }
    for file in files { try Data().write(to: file) }
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = words
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment
      .filter { !["COLUMNS", "NO_COLOR", "TERM"].contains($0.key) }
      .merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    try process.run()
    try whileRunning(process)
    process.waitUntilExit()
    return ProcessResult(
      status: process.terminationStatus, isSignal: process.terminationReason == .uncaughtSignal,
      output: try String(contentsOf: files[0], encoding: .utf8),
      errors: try String(contentsOf: files[1], encoding: .utf8))
  }

  func url(_ name: String) -> URL { folder.appending(path: name) }

  func write(_ text: String, to name: String) throws {
    try write([UInt8](text.utf8), to: name)
  }

  func write(_ bytes: [UInt8], to name: String) throws {
    let url = url(name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
  }

  func bytes(_ name: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: url(name))) }

  func text(_ name: String) throws -> String {
    try String(contentsOf: url(name), encoding: .utf8)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }

  /// Every file and folder with its bytes (none for folders), hidden ones included.
  func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      found[name] = (try? Data(contentsOf: url(name))) ?? Data()
    }
    return found
  }

  /// Waits, for 60 seconds at most, until something is true of the folder.
  func wait(until isTrue: () throws -> Bool) throws {
    for _ in 0..<30_000 {
      if try isTrue() { return }
      Thread.sleep(forTimeInterval: 0.002)
    }
    Issue.record("waited for 60 seconds")
  }
}

/// Runs a command that must fail: one error line, nothing on standard output, nothing written.
func expectFailure(
  _ bench: Workbench, _ words: [String], status: Int32, _ message: String,
  environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let before = try bench.contents()
  let result = try bench.facegauge(words, environment: environment)
  #expect(
    result.status == status && !result.isSignal, "\(result.errors)", sourceLocation: sourceLocation)
  #expect(result.output == "", sourceLocation: sourceLocation)
  #expect(result.errorLines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
  #expect(
    result.errorLines.first?.contains(message) == true, "\(result.errors)",
    sourceLocation: sourceLocation)
  if status != 64 {
    #expect(
      result.errors.split(separator: "\n").filter { !$0.hasPrefix("note: ") }.count == 1,
      "\(result.errors)",
      sourceLocation: sourceLocation)
  }
  let after = try bench.contents()
  #expect(after == before, "wrote \(after.keys.sorted())", sourceLocation: sourceLocation)
}
