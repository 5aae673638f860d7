import CommandSyntax
import Foundation
import Platform

/// The summary page of a CI job: the file that `GITHUB_STEP_SUMMARY` names.
enum StepSummary {
  /// Appends Markdown to the file, if one is named; a failure is a warning.
  static func append(_ markdown: String) {
    let variable = "GITHUB_STEP_SUMMARY"
    guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else { return }
    do throws(SystemError) {
      // A pipe without a reader must not block the run.
      let file = try Descriptor(
        path, [.writing, .appending, .creating, .nonBlocking], permissions: 0o644)
      let text = (file.seekToEnd() > 0 ? "\n" : "") + markdown
      try file.closingOnFailure { () throws(SystemError) in
        try file.writeAll(Array(text.utf8), waits: false)
      }
      try file.end()
    } catch {
      Diagnostics.standardError.warning(
        "cannot append the summary to \(path) of \(variable): \(error)")
    }
  }
}
