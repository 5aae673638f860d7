import Synchronization

/// Shows how far a long loop is: as a bar on a terminal, anywhere else as a line every 30 seconds.
///
/// Any thread may advance it. On a terminal it is drawn at most ten times per second and removed when it is
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
  private let pace: ProgressPace

  /// Starts a bar.
  ///
  /// - Parameters:
  ///   - label: what is being done, as in `Evaluating`.
  ///   - total: how many units there will be; nil if that is not known.
  ///   - completed: how many were done before, which do not count towards the rate.
  ///   - unit: what is counted, in the plural.
  ///   - pace: when a line is due where there is no terminal; loops that follow each other share one.
  ///   - elapsed: the time since the start, from a clock that never goes back.
  package init(
    _ label: String, total: Int?, completed: Int = 0, unit: String,
    on diagnostics: Diagnostics = .standardError, pace: ProgressPace = ProgressPace(),
    elapsed: @escaping @Sendable () -> Duration = timeSinceNow()
  ) {
    self.diagnostics = diagnostics
    self.elapsed = elapsed
    self.pace = pace
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
    state.withLock { state in
      state.line.completed += count
      state.line.sinceStart += count
      if state.isFinished { return }
      guard diagnostics.terminal.isInteractive else {
        guard pace.isDue() else { return }
        state.line.elapsed = elapsed()
        return diagnostics.print(state.line.plain)
      }
      let now = elapsed()
      if let last = state.lastDrawn, now - last < Self.drawingInterval { return }
      state.lastDrawn = now
      state.line.elapsed = now
      diagnostics.pin(state.line.rendered(columns: diagnostics.terminal.columns - 1))
    }
  }

  /// Removes the bar from the terminal; later counts are not shown.
  package func finish() {
    state.withLock { state in
      if !state.isFinished, diagnostics.terminal.isInteractive { diagnostics.pin("") }
      state.isFinished = true
    }
  }
}

/// When a command without a bar reports its progress: every 30 seconds, over all of its loops.
package final class ProgressPace: Sendable {
  private static let interval = Duration.seconds(30)

  private let last = Mutex(Duration.zero)
  private let elapsed: @Sendable () -> Duration

  /// Starts with the first line due in 30 seconds of a clock that never goes back.
  package init(elapsed: @escaping @Sendable () -> Duration = timeSinceNow()) {
    self.elapsed = elapsed
  }

  /// Whether a line is due; then the next one is due 30 seconds later.
  func isDue() -> Bool {
    let now = elapsed()
    return last.withLock { last in
      guard now - last >= Self.interval else { return false }
      last = now
      return true
    }
  }
}

/// A stopwatch that starts now and goes on while the machine sleeps.
package func timeSinceNow() -> @Sendable () -> Duration {
  let start = ContinuousClock.now
  return { ContinuousClock.now - start }
}
