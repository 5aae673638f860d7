internal import Datasets
internal import Records

/// Where the predictions of a run come from: the pipeline, a seeded tracker, or a file.
protocol PredictionSource {
  /// Whose they are.
  var tracker: PredictionOrigin { get }
  /// Makes `predictions.h5` in the folder.
  func predict(
    _ dataset: DatasetReader, sha256: String, into folder: RunFolder, monitor: RunMonitor
  ) throws -> PredictionsMade
}

/// What the record states about how predictions were made.
struct PredictionsMade {
  /// The models that ran.
  var models: [Record.Model] = []
  /// What became of the stages; nil where none of ours ran.
  var stages: [Record.Stage]?
  /// The settings, by option name.
  var options: [String: String]
  /// Frames whose image is broken.
  var bad: [PredictionPass.BadFrame] = []
  /// What was measured while the predictions were made.
  var measurements: [Records.Measurement] = []
  /// What a reader must know first.
  var notes: [String] = []
  /// What else a reader must know.
  var closingNotes: [String] = []
  /// Tables about how they were made.
  var series: [Series] = []
  /// The machine that made them and why it was noisy meanwhile; nil for this one and now.
  var origin: (host: Record.Host, noise: [String])?
}
