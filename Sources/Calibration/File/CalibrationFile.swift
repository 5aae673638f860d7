package import Records

/// What `calibrate` found on one run, to be kept and applied: the contents of `calibration.json`.
package struct CalibrationFile: Sendable, Hashable, Codable {
  /// What the run was made on.
  package struct Dataset: Sendable, Hashable, Codable {
    /// The dataset's own name.
    package var name: String
    /// SHA-256 of the dataset file, in lower-case hexadecimal.
    package var sha256: String
    /// How many frames it has.
    package var frames: Int

    /// Names a dataset.
    package init(name: String, sha256: String, frames: Int) {
      self.name = name
      self.sha256 = sha256
      self.frames = frames
    }
  }

  /// The schema that the file follows.
  package var schema = Self.schemaName
  /// Version of the schema.
  package var version = Self.schemaVersion
  /// The program that calibrated.
  package var tool: Record.Tool
  /// When, ISO 8601 in UTC.
  package var created: String
  /// What it was made from.
  package var dataset: Dataset
  /// Whose scores they are, where not our own pipeline's; nil for that.
  @Nullable package var tracker: String?
  /// The nets that made the scores.
  package var models: [Record.Model]
  /// The settings that the run was made with, by option name without dashes.
  package var options: [String: String]
  /// The calibrators, each of another kind of score.
  package var scores: [ScoreCalibration] = []
  /// The recommended thresholds of expressions.
  package var thresholds: [ExpressionThreshold] = []
  /// The recommended threshold of another tracker's detections; nil for none.
  package var detectionThreshold: ScoreThreshold?
  /// The correction of blendshapes; nil for none.
  @Nullable package var blendshapes: BlendshapeCalibration?
  /// By how much the recordings' clocks were moved, by the video's name; empty without recordings.
  package var timeOffsets: [String: TimeOffset] = [:]
  /// The operating settings that a sweep recommends; nil for none.
  @Nullable package var settings: RecommendedSettings?
  /// What a reader must know, a sentence each.
  package var notes: [String] = []

  /// Starts a file without findings.
  package init(
    tool: Record.Tool, created: String, dataset: Dataset, tracker: String?, models: [Record.Model],
    options: [String: String]
  ) {
    self.tool = tool
    self.created = created
    self.dataset = dataset
    self.tracker = tracker
    self.models = models
    self.options = options
  }

  /// The calibrator of a kind of score; nil where there is none.
  package func calibrator(of what: String) -> Calibrator? {
    scores.first { $0.of == what }?.calibrator
  }

  /// Stages whose net must be the same for the file to fit, in the order of the pipeline.
  package var stages: [String] {
    let ofFaces =
      scores.contains { $0.of.hasPrefix(ScoreCalibration.expressionPrefix) }
      || blendshapes != nil || !thresholds.isEmpty
    return (calibrator(of: "detection") == nil ? [] : ["detection"])
      + (calibrator(of: "presence") == nil && !ofFaces ? [] : ["landmarks"])
      + (ofFaces ? ["blendshapes"] : [])
  }
}

/// Operating settings with the evidence for them: those of the pipeline in full, as one setting of a sweep had them.
package struct RecommendedSettings: Sendable, Hashable, Codable {
  /// Values by option name without dashes, such as `min-face-detection-confidence`; also of those that were not swept.
  package var values: [String: Double]
  /// The names of those that were swept.
  package var swept: [String]
  /// What was asked for, such as `max f1`.
  package var objective: String
  /// What follows from the sweep, such as `keep the default (…): no evidence …`.
  package var verdict: String
  /// What to know before the values are trusted, a sentence each without a full stop.
  package var warnings: [String]
  /// What the objective's figure comes to with these values.
  package var figure: Double
  /// Where that figure lies.
  package var interval: Interval
  /// What the sweep was made on.
  package var dataset: CalibrationFile.Dataset

  /// Joins values and evidence.
  package init(
    values: [String: Double], swept: [String], objective: String, verdict: String,
    warnings: [String] = [], figure: Double, interval: Interval, dataset: CalibrationFile.Dataset
  ) {
    self.values = values
    self.swept = swept
    self.objective = objective
    self.verdict = verdict
    self.warnings = warnings
    self.figure = figure
    self.interval = interval
    self.dataset = dataset
  }
}
