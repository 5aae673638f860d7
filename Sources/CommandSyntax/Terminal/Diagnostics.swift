internal import Platform
import Synchronization

/// Writes errors, warnings and notes, one line each, and keeps a progress bar below them.
package final class Diagnostics: Sendable {
  /// What the stream can show.
  package let terminal: Terminal
  private let write: @Sendable (String) -> Void
  private let pinnedLine = Mutex("")

  /// Writes through a closure that takes the final text.
  package init(terminal: Terminal, write: @escaping @Sendable (String) -> Void) {
    self.terminal = terminal
    self.write = write
  }

  /// Those of the process, on standard error.
  package static let standardError = Diagnostics(terminal: .standardError) { text in
    try? Descriptor.standardError.writeAll(text)
  }

  /// Reports what ended the command.
  package func error(_ message: String) {
    report("error:", .boldRed, message)
  }

  /// Reports what the user should know although the command goes on.
  package func warning(_ message: String) {
    report("warning:", .boldYellow, message)
  }

  /// Adds to an earlier message, or tells what happens.
  package func note(_ message: String) {
    report("note:", .boldCyan, message)
  }

  /// Writes lines without a word before them; a newline is added if the last lacks one.
  package func print(_ lines: String) {
    pinnedLine.withLock { line in
      write((line.isEmpty ? "" : "\r\u{1B}[K") + lines + (lines.hasSuffix("\n") ? "" : "\n") + line)
    }
  }

  /// Shows a line that later ones push down, instead of the one before; an empty one removes it.
  func pin(_ newLine: String) {
    pinnedLine.withLock { line in
      if newLine != line { write((line.isEmpty ? "" : "\r\u{1B}[K") + newLine) }
      line = newLine
    }
  }

  private func report(_ severity: String, _ style: TextStyle, _ message: String) {
    print(terminal.styled(severity, style) + " " + message.withoutControlCharacters)
  }
}

extension String {
  /// The text with control characters written as `\n`, `\t` or `\u{1b}`, safe to show on a terminal.
  package var withoutControlCharacters: String { withControlCharactersEscaped }
}
