import Foundation
import TestSupport
import Testing

extension ProcessResult {
  /// The lines of standard error that begin with `error:`.
  var errorLines: [Substring] {
    errors.split(separator: "\n").filter { $0.hasPrefix("error: ") }
  }
}

/// A folder of a test's own, in which the built program is run.
final class Workbench: Sendable {
  private let temporary: TemporaryFolder

  init() throws { temporary = try TemporaryFolder() }

  var folder: URL { temporary.url }

  /// The built program.
  static let program = ProcessResult.path(ofBuilt: "facegauge")

  /// Runs `facegauge` in the folder to its end, with nothing on standard input; what `--json` prints keeps its schema.
  func facegauge(
    _ words: [String], environment: [String: String] = [:],
    whileRunning: (Process) throws -> Void = { _ in }
  ) throws -> ProcessResult {
    let result = try ProcessResult(
      running: Self.program, words, in: folder, environment: environment
    ) { process, _ in
      try whileRunning(process)
    }
    if words.contains("--json"), result.output.hasPrefix("{") || result.output.hasPrefix("[") {
      let command =
        words.contains("--shard") ? "part" : words[0] == "models" ? "models-\(words[1])" : words[0]
      #expect(try Schema.problems(ofPrinted: result.output, by: command) == [], "\(words)")
    }
    return result
  }

  /// Runs a line of bash in the folder, in which `$facegauge` is the program.
  func shell(_ line: String, environment: [String: String] = [:]) throws -> ProcessResult {
    try ProcessResult(
      running: "/bin/bash", ["-c", line], in: folder,
      environment: environment.merging(["facegauge": Self.program]) { first, _ in first })
  }

  /// Runs the program on a terminal of 80 columns; what it writes to both streams is the output.
  func terminal(_ words: String, environment: [String: String] = [:]) throws -> ProcessResult {
    try ProcessResult(
      running: "/usr/bin/script", ["-qec", "'\(Self.program)' \(words)", "/dev/null"], in: folder,
      environment: ["TERM": "xterm", "COLUMNS": "80"].merging(environment) { $1 })
  }

  static let hasCompiler = (try? Workbench().shell("gcc --version").status == 0) == true

  static let hasTerminals = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")

  func url(_ name: String) -> URL { temporary.file(name) }

  func write(_ text: String, to name: String) throws { try temporary.write(text, to: name) }

  func write(_ bytes: [UInt8], to name: String) throws { try temporary.write(bytes, to: name) }

  func bytes(_ name: String) throws -> [UInt8] { try temporary.bytes(name) }

  func text(_ name: String) throws -> String {
    try String(contentsOf: url(name), encoding: .utf8)
  }

  func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: url(name).path) }

  /// Every file, folder and pipe with its bytes (none for folders and pipes), hidden ones included.
  func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
      let type = try? FileManager.default.attributesOfItem(atPath: url(name).path)[.type]
      // A pipe is waited for, for ever, by the Foundation of Swift 6.0.
      let isFile = type as? FileAttributeType == .typeRegular
      found[name] = isFile ? try Data(contentsOf: url(name)) : Data()
    }
    return found
  }

  /// How many files and folders there are while a program runs, which may take any away before it is read.
  func entryCount() throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).count
  }

  /// Waits until something is true of the folder; ten minutes are a guard against a test that hangs.
  func wait(until isTrue: () throws -> Bool) throws {
    for _ in 0..<300_000 {
      if try isTrue() { return }
      Thread.sleep(forTimeInterval: 0.002)
    }
    Issue.record("waited for ten minutes")
  }

  /// A command that a signal ended half-way, and the folder that it left.
  struct Stopped {
    let bench: Workbench
    /// The size of the work that was not done before the signal came.
    let size: Int
    let result: ProcessResult
  }

  /// Starts work in folders of their own, four times as much each time, until a signal comes before its end.
  ///
  /// How much a machine gets done before the signal reaches the program is not known beforehand.
  static func stopped(
    from size: Int, _ attempt: (Workbench, Int) throws -> ProcessResult,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Stopped {
    var size = size
    for _ in 0..<5 {
      let bench = try Workbench()
      let result = try attempt(bench, size)
      if result.isSignal { return Stopped(bench: bench, size: size, result: result) }
      size *= 4
    }
    Issue.record("the program ends before any signal", sourceLocation: sourceLocation)
    throw CancellationError()
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
