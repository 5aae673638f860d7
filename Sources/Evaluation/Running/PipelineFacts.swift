internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Records

/// What a run states of the pipeline that made its predictions, with or without the models at hand.
struct PipelineFacts: Sendable {
  /// The models, in the order of the pipeline, and whether their bytes are the pinned ones.
  var models: [(model: Record.Model, isPinned: Bool)]
  /// The stages that could not run, each with its reason.
  var absent: [(stage: PipelinePart, reason: String)]
  /// Which of MediaPipe's landmark models there was; nil without one.
  var landmarks: LandmarkVariant?
  /// Names and orders the points.
  var scheme = LandmarkScheme.mediapipe478

  init(
    models: [(model: Record.Model, isPinned: Bool)],
    absent: [(stage: PipelinePart, reason: String)], landmarks: LandmarkVariant?,
    scheme: LandmarkScheme = .mediapipe478
  ) {
    self.models = models
    self.absent = absent
    self.landmarks = landmarks
    self.scheme = scheme
  }

  init(_ models: FaceLandmarkerModels) {
    self.models = models.loaded.map { (Record.Model($0), $0.isPinned) }
    absent = models.absent.map { ($0.stage, $0.reason) }
    landmarks = models.landmarks?.variant
    scheme = models.landmarks?.scheme ?? .mediapipe478
  }

  /// The description of the predictions that they make of a dataset, in this process unless `numerics` says otherwise.
  func header(
    _ plan: EvaluationPlan, of dataset: DatasetReader, sha256: String,
    numerics: PredictionsHeader.Numerics = Numerics.own.stated
  ) -> PredictionsHeader {
    PredictionsHeader(
      datasetName: dataset.name, datasetSHA256: sha256,
      datasetPath: plan.dataset.standardizedFileURL.path,
      mode: plan.settings.runningMode.rawValue,
      models: models.map { .init($0.model) },
      candidateFloor: plan.settings.minCandidateScore, stages: PipelineStage.names,
      options: plan.predictionOptions, numerics: numerics)
  }

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
