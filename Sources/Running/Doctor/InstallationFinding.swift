/// What is installed of one thing, and what to do about it.
package struct InstallationFinding: Sendable, Hashable, Encodable {
  /// How it is.
  package enum State: String, Sendable, Encodable {
    /// It works.
    case ok
    /// It works, but not as it could or as was asked for.
    case warning
    /// It is not there, or does not work.
    case missing
  }

  /// What was looked at, such as `ffmpeg`.
  package var thing: String
  /// How it is.
  package var state: State
  /// What was found.
  package var found: String
  /// What to do about it; nil if there is nothing to do.
  package var advice: String?
  /// Whether it is a part of the pipeline that `evaluate` then runs without, or without which it does not run.
  package var isStage = false

  /// Makes a finding.
  package init(_ thing: String, _ state: State, _ found: String, advice: String? = nil) {
    self.thing = thing
    self.state = state
    self.found = found
    self.advice = advice
  }
}
