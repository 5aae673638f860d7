package import Calibration
package import Foundation
package import Metrics

/// What a calibration is asked to do.
package struct CalibrationPlan: Sendable {
  /// What can be calibrated.
  package enum Subject: String, Sendable, CaseIterable {
    /// Scores of detections.
    case detection
    /// Presences of faces that were looked at.
    case presence
    /// Values of the rules of expressions, and their thresholds.
    case expressions
    /// Coefficients, against labelled ones or a face at rest.
    case blendshapes
  }

  /// The run whose predictions are evaluated.
  package var run: URL
  /// The file to make.
  package var output: URL
  /// The dataset of the run; nil means the path in the run's record.
  package var dataset: URL?
  /// The subjects to calibrate; nil means all that can be.
  package var subjects: Set<Subject>?
  /// How scores become probabilities.
  package var choice = CalibrationChoice.auto
  /// How many folds of whole clusters are held out, one at a time; 2 or more.
  package var folds = 5
  /// What thresholds of expressions should reach.
  package var objective = defaultObjective
  /// The objective where none is given.
  package static let defaultObjective = "max f1"
  /// Rules of expressions instead of the built-in ones; nil means those.
  package var expressions: URL?
  /// Whom corrections of blendshapes are for.
  package var scope = BlendshapeCalibration.Scope.shared
  /// A dataset with the labelled blendshapes of the run's videos on a clock of its own; nil means none.
  package var recording: URL?
  /// Seconds to add to the recording's times; nil finds them out.
  package var timeOffset: Double?
  /// The largest time offset that is tried, in seconds.
  package var maxTimeOffset = 30.0
  /// Seconds of each video in which the face is at rest; nil means labels mark it, or `restingRun`.
  package var rest: ClosedRange<Double>?
  /// A run in which all faces are at rest; nil means none.
  package var restingRun: URL?
  /// A file of prompts that one person follows in the run's videos; nil means none.
  package var prompts: URL?
  /// An earlier calibration by prompts whose sessions are compared with this one's; nil means none.
  package var against: URL?
  /// A sweep whose first recommendation is kept with the calibration; nil means none.
  package var sweep: URL?
  /// How intervals of thresholds are made; its seed deals out the folds too.
  package var bootstrap = ClusterBootstrap()
  /// The folder for a report; nil means none.
  package var report: URL?
  /// Whether existing outputs are replaced.
  package var replaces = false

  /// Plans a calibration with default settings.
  package init(run: URL, output: URL) {
    self.run = run
    self.output = output
  }

  /// Whether a subject is wanted, or at least not unwanted.
  func wants(_ subject: Subject) -> Bool { subjects?.contains(subject) ?? true }
}
