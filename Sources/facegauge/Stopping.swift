import CommandSyntax
import Datasets
import Evaluation

/// Runs work that stops when a signal asks for it, and ends the process as that signal would.
///
/// What the work says about where it stopped is reported first.
func stopping<Result>(_ work: () throws -> Result) throws -> Result {
  do {
    return try work()
  } catch let error as DatasetError where error.kind == .interrupted {
    Diagnostics.standardError.note(error.description)
    try Interruption.check()
    throw error
  } catch let error as EvaluationError where error.kind == .interrupted {
    Diagnostics.standardError.note(error.description)
    try Interruption.check()
    throw error
  }
}
