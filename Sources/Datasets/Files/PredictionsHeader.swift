/// What a predictions file says of the run that made it.
package struct PredictionsHeader: Sendable, Hashable {
  /// A net that took part in the run.
  package struct Model: Sendable, Hashable {
    /// Name in the model catalogue.
    package var name: String
    /// The stage it serves, such as `detection`.
    package var stage: String
    /// SHA-256 of its bytes.
    package var sha256: String

    /// Describes a net.
    package init(name: String, stage: String, sha256: String) {
      self.name = name
      self.stage = stage
      self.sha256 = sha256
    }
  }

  /// What a tracker may leave unsaid; raw values are those of the attribute `says`.
  package enum Fact: String, Sendable, CaseIterable {
    /// In which frames its detector ran.
    case detectorRan = "detector_ran"
    /// The points before smoothing; those that are left out equal the points after it.
    case unsmoothed
    /// Boxes of a detector, where they are not those around the points.
    case detectorBoxes = "detector_boxes"
  }

  /// Name of the dataset.
  package var datasetName: String
  /// SHA-256 of the dataset file.
  package var datasetSHA256: String
  /// Where the dataset file was; a hint for finding the pictures again.
  package var datasetPath: String
  /// The running mode: `image`, `video` or `live`.
  package var mode: String
  /// The nets, in the order of the pipeline; any may be missing.
  package var models: [Model]
  /// Lowest score of the stored candidates.
  package var candidateFloor: Double
  /// Names of the timed stages, one or more.
  package var stages: [String]
  /// Settings that the predictions depend on, by option name.
  package var options: [String: String]
  /// What the predictions say; the rest is unknown.
  package var says: Set<Fact>

  /// Describes a run.
  package init(
    datasetName: String, datasetSHA256: String, datasetPath: String, mode: String,
    models: [Model], candidateFloor: Double, stages: [String], options: [String: String],
    says: Set<Fact> = Set(Fact.allCases)
  ) {
    self.says = says
    self.datasetName = datasetName
    self.datasetSHA256 = datasetSHA256
    self.datasetPath = datasetPath
    self.mode = mode
    self.models = models
    self.candidateFloor = candidateFloor
    self.stages = stages
    self.options = options
  }
}
