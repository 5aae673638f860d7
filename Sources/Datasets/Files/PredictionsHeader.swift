/// What a predictions file says of the run that made it.
package struct PredictionsHeader: Sendable, Hashable {
  /// Name of the dataset.
  package var datasetName: String
  /// SHA-256 of the dataset file.
  package var datasetSHA256: String
  /// Name of the detector in the model catalogue.
  package var detector: String
  /// SHA-256 of the detector's bytes.
  package var detectorSHA256: String
  /// Lowest score of the stored candidates.
  package var candidateFloor: Double
  /// Names of the timed stages.
  package var stages: [String]
  /// Settings that the stored faces depend on, by option name.
  package var options: [String: String]

  /// Describes a run.
  package init(
    datasetName: String, datasetSHA256: String, detector: String, detectorSHA256: String,
    candidateFloor: Double, stages: [String], options: [String: String]
  ) {
    self.datasetName = datasetName
    self.datasetSHA256 = datasetSHA256
    self.detector = detector
    self.detectorSHA256 = detectorSHA256
    self.candidateFloor = candidateFloor
    self.stages = stages
    self.options = options
  }
}
