internal import Calibration
package import Foundation

/// What a fit of a blendshape head is asked to do.
package struct BlendshapeHeadPlan: Sendable {
  /// The runs with the landmarks.
  package var runs: [URL]
  /// The file to make.
  package var output: URL
  /// Whether the head is fitted to the coefficients that the runs predicted, not to labels.
  package var isTaught = false
  /// A dataset with the labelled blendshapes of the only run's videos on a clock of its own; nil means none.
  package var recording: URL?
  /// Seconds to add to the recording's times; nil finds them out.
  package var timeOffset: Double?
  /// The largest time offset that is tried, in seconds.
  package var maxTimeOffset = 30.0
  /// How many folds of whole clusters are held out, one at a time, at most; 2 or more.
  package var folds = 10
  /// The penalty on weights, as a share of the inputs' mean variance; above 0.
  package var ridge = LogitRegression.usualRidge
  /// Deals out the folds.
  package var seed: UInt64 = 1
  /// Whether an existing file is replaced.
  package var replaces = false

  /// Plans a fit with default settings.
  package init(runs: [URL], output: URL) {
    self.runs = runs
    self.output = output
  }

  /// How far coefficients are kept from 0 and 1: labels have noise there, a model's output has none.
  var margin: Double { isTaught ? 1e-4 : 1e-3 }
}
