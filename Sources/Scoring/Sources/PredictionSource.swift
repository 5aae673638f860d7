internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Records
internal import Running

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
  /// What a run says that more than one process made.
  static let resumedNote =
    "This run was interrupted and resumed: its latencies come from more than one process."

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

extension PipelineFacts {
  /// What the record states of predictions that they made.
  func made(_ plan: EvaluationPlan, bad: [PredictionPass.BadFrame]) -> PredictionsMade {
    var made = PredictionsMade(
      models: models.map(\.model),
      stages: plan.settings.stages(
        absent: Dictionary(absent.map { ($0.stage, $0.reason) }, uniquingKeysWith: { $1 })),
      options: plan.options, bad: bad)
    for model in models where !model.isPinned {
      made.notes.append("\(model.model.name) has other bytes than the pinned ones.")
    }
    for stage in made.stages ?? [] where stage.state == .ran {
      for case (let name, let remark?) in made.models.filter({ $0.stage == stage.name })
        .map({ ($0.name, $0.remark) })
      {
        made.notes.append("The stage \(stage.name) ran with \(name): \(remark).")
      }
    }
    for stage in absent {
      made.notes.append("The stage \(stage.stage.rawValue) did not run: \(stage.reason).")
    }
    if plan.jobs > 1 {
      made.closingNotes.append(
        "Latency was measured with \(plan.jobs) frames at once: the workers slow each other down.")
    }
    return made
  }
}
