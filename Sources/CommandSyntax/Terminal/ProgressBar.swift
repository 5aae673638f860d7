import Synchronization

/// Shows on a terminal how far a long loop is; anywhere else it shows nothing.
///
/// Any thread may advance it. It is drawn at most ten times a second and removed when it is
/// finished or released, so that an error or an interruption leaves no trace of it.
package final class ProgressBar: Sendable {
  private struct State {
    var line: ProgressLine
    var lastDrawn: Duration?
    var isFinished = false
  }

  private static let drawingInterval = Duration.milliseconds(100)

  private let state: Mutex<State>
  private let diagnostics: Diagnostics
  private let elapsed: @Sendable () -> Duration

  /// Starts a bar.
  ///
  /// - Parameters:
  ///   - label: what is being done, as in `Evaluating`.
  ///   - total: how many units there will be; nil if that is not known.
  ///   - completed: how many were done before, which do not count towards the rate.
  ///   - unit: what is counted, in the plural.
  ///   - elapsed: the time since the start, from a clock that never goes back.
  package init(
    _ label: String, total: Int?, completed: Int = 0, unit: String,
    on diagnostics: Diagnostics = .standardError,
    elapsed: @escaping @Sendable () -> Duration = timeSinceNow()
  ) {
    self.diagnostics = diagnostics
    self.elapsed = elapsed
    state = Mutex(
      State(
        line: ProgressLine(
          label: label, unit: unit, completed: completed, total: total, sinceStart: 0,
          elapsed: .zero)))
    advance(by: 0)
  }

  deinit {
    finish()
  }

  /// Counts more units as done and draws the bar if it is time to.
  package func advance(by count: Int = 1) {
    guard diagnostics.terminal.isInteractive else { return }
    state.withLock { state in
      state.line.completed += count
      state.line.sinceStart += count
      let now = elapsed()
      if state.isFinished { return }
      if let last = state.lastDrawn, now - last < Self.drawingInterval { return }
      state.lastDrawn = now
      state.line.elapsed = now
      diagnostics.pin(state.line.rendered(columns: diagnostics.terminal.columns - 1))
    }
  }

  /// Removes the bar from the terminal; whatever is counted later is not shown.
  package func finish() {
    guard diagnostics.terminal.isInteractive else { return }
    state.withLock { state in
      if !state.isFinished { diagnostics.pin("") }
      state.isFinished = true
    }
  }
}

/// A stopwatch that starts now and goes on while the machine sleeps.
package func timeSinceNow() -> @Sendable () -> Duration {
  let start = ContinuousClock.now
  return { ContinuousClock.now - start }
}
