package import Platform

/// What a program answers to being asked for its version.
package enum ProgramProbe: Sendable, Hashable {
  /// Its first line.
  case answers(String)
  /// There is no such program in PATH.
  case missing
  /// It is there and does not work, with the reason.
  case fails(String)

  /// Runs a program with options that make it print a line and end, for at most `limit`.
  ///
  /// Throws `.interrupted` alone.
  package static func run(
    _ name: String, _ options: [String], limit: Duration = .seconds(10),
    isInterrupted: @escaping @Sendable () -> Bool
  ) throws(FileError) -> ProgramProbe {
    do throws(FileError) {
      var program = try ChildProgram.start(name, options, in: .tool, isInterrupted: isInterrupted)
      program.endWaiting(after: limit)
      var first: String?
      while first == nil, let line = try program.line() {
        if !line.allSatisfy(\.isWhitespace) { first = line }
      }
      let ending = try program.finish()
      guard ending.isSuccess else {
        let status = ending.status.map { "status \($0)" } ?? "a signal"
        return .fails("it ended with \(status)" + (ending.firstErrorLine.map { ": \($0)" } ?? ""))
      }
      return first.map(Self.answers) ?? .fails("it printed nothing")
    } catch {
      switch error.kind {
      case .missing: return .missing
      case .interrupted: throw error
      default: return .fails(error.description)
      }
    }
  }
}
