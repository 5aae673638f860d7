internal import Datasets

/// Names of options in records, predictions and calibrations that are read again.
package enum RunOption {
  static let compatibility = "compatibility"
  static let detector = "detector"
  static let mode = "mode"
  static let rotation = "rotation"
  static let schedule = "schedule"
  /// The tracker of predictions that are not our own pipeline's.
  static let tracker = PredictionsHeader.trackerOption
  /// The base of relative gates.
  package static let against = "against"
}
