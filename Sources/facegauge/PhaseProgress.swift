import CommandSyntax
import Foundation
import Running
import Synchronization

/// Shows each phase of a run as a progress bar, or as occasional lines without a terminal.
final class PhaseProgress: Sendable {
  private let bar = Mutex<ProgressBar?>(nil)
  private let pace = ProgressPace()

  /// The monitor to give to the run.
  var monitor: RunMonitor {
    var monitor = RunMonitor(
      begin: { phase, total in
        self.finish()
        self.bar.withLock {
          $0 = ProgressBar(
            phase.words.capitalized, total: total, unit: phase.unit.rawValue, pace: self.pace)
        }
      },
      advanceBy: { steps in self.bar.withLock { $0?.advance(by: steps) } },
      isInterrupted: { Interruption.isRequested })
    monitor.note = { Diagnostics.standardError.note($0) }
    return monitor
  }

  /// Does work that shows its phases, and that stops on a signal.
  static func run<Result>(_ work: (RunMonitor) throws -> Result) throws -> Result {
    let progress = PhaseProgress()
    let result = try stopping { try work(progress.monitor) }
    progress.finish()
    return result
  }

  /// Removes the bar.
  func finish() {
    bar.withLock { bar in
      bar?.finish()
      bar = nil
    }
  }
}
