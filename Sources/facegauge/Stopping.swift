import CommandSyntax
import Datasets
import FacePipeline
import Running

/// Runs work that stops on a signal, and ends the process as that signal would.
///
/// The work's message about where it stopped is printed first.
func stopping<Result>(_ work: () throws -> Result) throws -> Result {
  do {
    return try work()
  } catch {
    guard EvaluationError(error).kind == .interrupted else { throw error }
    Diagnostics.standardError.note("\(error)")
    try Interruption.check()
    throw error
  }
}

/// Does work whose frames a bar counts, and that stops on a signal.
func countingFrames<Result>(
  _ title: String, of total: Int?,
  _ work: (
    _ advance: @escaping (Int) -> Void, _ isInterrupted: @escaping () -> Bool
  ) throws -> Result
) throws -> Result {
  let bar = ProgressBar(title, total: total, unit: "frames")
  let result = try stopping {
    try work({ bar.advance(by: $0) }, { Interruption.isRequested })
  }
  bar.finish()
  return result
}
