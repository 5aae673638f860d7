internal import Platform

/// The system's Python, which fetches over the network and opens wheels.
struct PythonScript {
  /// Whether the user has asked to stop; the script is killed then.
  let isInterrupted: @Sendable () -> Bool

  /// How a script failed.
  struct Failure {
    /// Its exit status; nil where a signal ended it.
    let status: Int?
    /// The last line of its messages.
    let reason: String?
    /// The first lines of its output, and the first and last of its messages.
    let lines: [String]

    /// The status and the last message, as an error ends with them.
    var words: String {
      "python3 ended with \(status.map { "status \($0)" } ?? "a signal")"
        + (reason.map { " (\($0))" } ?? "")
    }
  }

  private static let linesKept = 200
  /// How long a run may take unless its caller says less: a wheel over a slow line.
  private static let limit = Duration.seconds(1800)

  /// Runs `python3` with arguments; the last line of its messages says why it failed.
  ///
  /// Throws `missing` with `what` where Python is missing, fails or takes longer than `limit`.
  func run(
    _ arguments: [String], doing what: String, limit: Duration = limit
  ) throws(FileError) {
    guard let failure = try failure(of: arguments, doing: what, limit: limit) else { return }
    throw FileError(.missing, "cannot \(what): \(failure.words)")
  }

  /// Runs `python3`, without the user's modules and those of the working directory, and returns how it failed; nil where it did not.
  ///
  /// Throws `missing` where there is no Python or it takes longer than `limit`.
  func failure(
    of arguments: [String], doing what: String, limit: Duration = limit
  ) throws(FileError) -> Failure? {
    do throws(FileError) {
      var program = try ChildProgram.start(
        "python3", ["-I"] + arguments, in: .tool, package: "python3", isInterrupted: isInterrupted)
      program.endWaiting(after: limit)
      var lines: [String] = []
      while let line = try program.line() {
        if lines.count < Self.linesKept { lines.append(line) }
      }
      let ending = try program.finish()
      return ending.isSuccess
        ? nil
        : Failure(
          status: ending.status, reason: ending.lastErrorLine, lines: lines + ending.errorLines)
    } catch {
      throw error.kind == .interrupted
        ? FileError(.interrupted, "interrupted before it could \(what)")
        : FileError(.missing, "cannot \(what): \(error)")
    }
  }
}
