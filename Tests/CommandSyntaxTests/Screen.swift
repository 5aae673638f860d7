import CommandSyntax
import Synchronization

/// Collects what diagnostics and progress bars write.
final class Screen: Sendable {
  private let written = Mutex("")

  var text: String { written.withLock { $0 } }

  func diagnostics(isTerminal: Bool, environment: [String: String] = [:]) -> Diagnostics {
    let terminal = Terminal(
      isTerminal: isTerminal, environment: { environment[$0] }, measuredColumns: { 46 })
    return Diagnostics(terminal: terminal) { text in self.written.withLock { $0 += text } }
  }
}
