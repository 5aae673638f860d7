package import Foundation
package import Records
package import Running

/// What a timing run is asked to do.
package struct ProfilePlan: Sendable {
  /// Dataset, run folder, models, and the settings of the pipeline.
  package var pipeline: RunPlan
  /// The limits to evaluate by; nil means none.
  package var gates: URL?
  /// How frames follow one another.
  package var schedule = Record.Profile.Schedule.closed
  /// The frame rate whose period is the budget of a frame, more than 0.
  package var framesPerSecond = 60.0
  /// Threads that work on frames at once in the offline schedule, 1 or more.
  package var workers = ProcessInfo.processInfo.activeProcessorCount
  /// Frames between the first one and the steady ones, which begin with the first again.
  package var warmUpFrames = 20
  /// How many of the dataset's frames are taken; nil means all.
  package var frameLimit: Int?
  /// How often the frames are gone through.
  package var repeats = 1
  /// Seconds after which no further steady frame begins; nil means no limit.
  package var timeLimitSeconds: Double?
  /// Limits on percentiles, evaluated by counting frames.
  package var budgets: [Gate] = []
  /// How sure a verdict on a budget must be, in (0.5, 1).
  package var confidence = Gate.defaultConfidence
  /// Frames that measure what measuring costs, each analysed four times; 0 leaves it out.
  package var overheadPairs = 100
  /// Runs of each model that time its operators; 0 leaves them out.
  package var operatorRuns = 100

  /// Plans a closed loop over all frames of a dataset.
  package init(_ pipeline: RunPlan) {
    self.pipeline = pipeline
  }

  /// Nanoseconds that a frame may take.
  var budgetNanoseconds: Double { 1e9 / framesPerSecond }

  /// All settings of the run, by option name.
  var options: [String: String] {
    pipeline.predictionOptions.merging([
      RunOption.schedule: schedule.rawValue, "fps": "\(framesPerSecond)",
      "warm-up": "\(warmUpFrames)",
      "frames": frameLimit.map { "\($0)" } ?? "all", "repeats": "\(repeats)",
      "time-limit": timeLimitSeconds.map { "\($0)" } ?? "none",
      "jobs": "\(schedule == .offline ? workers : 1)", "confidence": "\(confidence)",
      "overhead-pairs": "\(overheadPairs)", "operator-runs": "\(operatorRuns)",
    ]) { $1 }
  }
}
