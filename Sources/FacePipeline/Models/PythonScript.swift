internal import FaceCore
internal import Foundation
internal import Platform

/// A run of the system's Python, which fetches over the network and opens wheels.
enum PythonScript {
  /// Seconds that a run may take unless its caller says less: a wheel over a slow line.
  private static let secondsToRun = 1800
  /// The exit status of `timeout` after the time limit.
  private static let timedOut = 124

  /// Runs `python3` with arguments; the last line of its messages says why it failed.
  ///
  /// Throws `missing` with `what` where Python is missing, fails or takes longer than `seconds`.
  static func run(
    _ arguments: [String], doing what: String, seconds: Int = secondsToRun
  ) throws(ModelStoreError) {
    guard let failure = try failure(of: arguments, doing: what, seconds: seconds) else { return }
    throw ModelStoreError(
      .missing,
      "cannot \(what): python3 ended with status \(failure.status)"
        + (failure.reason.map { " (\($0))" } ?? ""))
  }

  /// Runs `python3` and returns how it failed: its status, and the last line of its messages.
  ///
  /// Throws `missing` where there is no Python or it takes longer than `seconds`.
  static func failure(
    of arguments: [String], doing what: String, seconds: Int = secondsToRun
  ) throws(ModelStoreError) -> (status: Int32, reason: String?)? {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["timeout", "--kill-after=5", "\(seconds)", "python3"] + arguments
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    do {
      try process.run()
    } catch {
      throw ModelStoreError(.missing, "cannot \(what): \(error.systemReason)")
    }
    let output = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus != Self.timedOut else {
      throw ModelStoreError(.missing, "cannot \(what): python3 took longer than \(seconds) s")
    }
    guard process.terminationStatus != 0 else { return nil }
    return (
      process.terminationStatus, output.split(whereSeparator: \.isNewline).last.map(String.init)
    )
  }
}
