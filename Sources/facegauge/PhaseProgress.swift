import CommandSyntax
import Evaluation
import Foundation
import Synchronization

/// Shows each phase of a run as a progress bar.
final class PhaseProgress: Sendable {
  private let bar = Mutex<ProgressBar?>(nil)

  /// What the run talks to.
  var monitor: RunMonitor {
    RunMonitor(
      begin: { phase, total in
        self.finish()
        self.bar.withLock {
          $0 = ProgressBar(
            phase.capitalized, total: total,
            unit: ["hashing": "bytes", "comparing": "pictures"][phase] ?? "frames")
        }
      },
      advanceBy: { steps in self.bar.withLock { $0?.advance(by: steps) } },
      isInterrupted: { Interruption.isRequested })
  }

  /// Removes the bar.
  func finish() {
    bar.withLock { bar in
      bar?.finish()
      bar = nil
    }
  }
}
