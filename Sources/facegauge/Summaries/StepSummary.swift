import CommandSyntax
import Foundation
import Glibc

/// The summary page of a CI job: the file that `GITHUB_STEP_SUMMARY` names.
enum StepSummary {
  /// Appends Markdown to the file, if one is named; a failure is a warning.
  static func append(_ markdown: String) {
    let variable = "GITHUB_STEP_SUMMARY"
    guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else { return }
    // Non-blocking: a pipe without a reader must not block the run.
    let file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0o644)
    var problem = file < 0 ? errno : 0
    if file >= 0 {
      var bytes = Array(markdown.utf8)[...]
      if lseek(file, 0, SEEK_END) > 0 { bytes = [UInt8(ascii: "\n")] + bytes }
      while problem == 0, !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        if written > 0 {
          bytes = bytes.dropFirst(written)
        } else if written == 0 || errno != EINTR {
          problem = written == 0 ? EIO : errno
        }
      }
      if close(file) != 0, problem == 0 { problem = errno }
    }
    guard problem != 0 else { return }
    Diagnostics.standardError.warning(
      "cannot append the summary to \(path) of \(variable): \(String(cString: strerror(problem)))")
  }
}
