internal import FaceCore

/// Takes all settings of a sweep over frames: by running models, or over stored faces.
protocol SettingsReplay: AnyObject {
  /// How long questions took that went to a model, the first of them.
  var times: BranchingReplay.Times { get }
  /// By what the settings are evaluated.
  var evaluate: SequenceTally.Evaluate { get }
  /// The branches before the first frame.
  func start(isTracked: Bool) -> [BranchingReplay.Branch]
  /// Takes the branches over one frame; nil where the image is broken.
  ///
  /// The prediction of the setting `watched` comes back.
  func advance(
    _ branches: inout [BranchingReplay.Branch], over step: BranchingReplay.Step,
    image: BranchingReplay.Image, watching watched: Int?, listener: SweepRun.Listener?
  ) throws -> BranchingReplay.Advanced?
}

extension BranchingReplay: SettingsReplay {}
