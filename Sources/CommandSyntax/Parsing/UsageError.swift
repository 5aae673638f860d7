/// A command line that does not fit its declaration; nothing was run.
package struct UsageError: Error, Equatable, CustomStringConvertible {
  /// What is wrong, in one line without the word error.
  package let message: String
  /// The command's synopsis in one line.
  package let usage: String
  /// The command as typed, such as `facegauge evaluate`.
  package let command: String

  /// The message alone; `hint` holds the lines that follow it.
  package var description: String { message }

  /// How the command is used and where more is to be read; two lines.
  package var hint: String {
    "USAGE: \(usage)\n  See '\(command) --help' for more information."
  }
}
