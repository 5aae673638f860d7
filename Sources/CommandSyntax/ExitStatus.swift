/// How a command ended, as the shell sees it.
///
/// A program that a signal ends has no status of these; shells report 128 plus the signal's number.
package enum ExitStatus: Int32, Sendable, CaseIterable {
  case success = 0
  case failure = 1
  case gateFailed = 2
  case gateInconclusive = 3
  case usage = 64
  case wrongData = 65
  case inputNotFound = 66
  case modelMissing = 69
  case cannotWrite = 73
  case inputOutputError = 74
  case temporaryFailure = 75

  /// One sentence for the manual page.
  package var meaning: String {
    switch self {
    case .success: "Done; all gates pass."
    case .failure: "The command failed."
    case .gateFailed: "A gate failed; an undefined value fails."
    case .gateInconclusive:
      "A gate is inconclusive and none failed, a finding is suspect, or no objective is met."
    case .usage: "The command line is wrong; nothing was run."
    case .wrongData: "The input data is wrong: a dataset, model file, image or gates file."
    case .inputNotFound: "The input was not found."
    case .modelMissing:
      "A model or a program is missing, or the machine computes otherwise than a shard must."
    case .cannotWrite: "The output cannot be written."
    case .inputOutputError: "Reading or writing failed."
    case .temporaryFailure:
      "A shard could not be read or written; the same command may succeed later."
    }
  }
}
