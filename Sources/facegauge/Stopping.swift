import CommandSyntax
import Datasets
import FacePipeline
import Platform
import Running

/// Runs work that stops on a signal, and ends the process as that signal would.
///
/// The work's message about where it stopped is printed first.
func stopping<Result>(_ work: () throws -> Result) throws -> Result {
  do {
    return try work()
  } catch let error as FileError where error.kind == .interrupted {
    Diagnostics.standardError.note(error.description)
    try Interruption.check()
    throw error
  } catch let error as ModelStoreError where error.kind == .interrupted {
    Diagnostics.standardError.note(error.description)
    try Interruption.check()
    throw error
  } catch let error as EvaluationError where error.kind == .interrupted {
    Diagnostics.standardError.note(error.description)
    try Interruption.check()
    throw error
  }
}
