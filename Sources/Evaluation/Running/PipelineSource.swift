internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Records
internal import Tensor

/// Predictions that our own pipeline makes, frame by frame.
struct PipelineSource: PredictionSource {
  let tracker: PredictionOrigin
  private let calibration: AppliedCalibration?
  private let plan: EvaluationPlan
  private let models: FaceLandmarkerModels

  /// Loads the models; throws where one is wrong or a frame has no image.
  init(
    _ plan: EvaluationPlan, on dataset: DatasetReader, calibration: AppliedCalibration?
  ) throws {
    try dataset.requireImages()
    BLAS.setThreadCount(1)
    self.plan = plan
    models = try FaceLandmarkerModels(
      detector: plan.detector, landmarks: plan.landmarks, from: plan.models)
    var tracker = PredictionOrigin(plan, models: models)
    tracker.take(calibration?.detector)
    self.tracker = tracker
    self.calibration = calibration
    try calibration?.check(models: models.loaded.map { .init($0) }, tracker: nil)
  }

  func predict(
    _ dataset: DatasetReader, sha256: String, into folder: RunFolder, monitor: RunMonitor
  ) throws -> PredictionsMade {
    let header = PredictionsHeader(
      datasetName: dataset.name, datasetSHA256: sha256,
      datasetPath: plan.dataset.standardizedFileURL.path,
      mode: plan.settings.runningMode.rawValue,
      models: models.loaded.map { .init($0) },
      candidateFloor: plan.settings.minCandidateScore, stages: PipelineStage.names,
      options: plan.predictionOptions)
    if plan.settings.runningMode != .live { try folder.agree(on: header, jobs: plan.jobs) }
    let pass = PredictionPass(
      plan: plan, folder: folder, header: header, models: models, monitor: monitor)
    monitor.begin(.evaluating, dataset.frameCount)
    let (bad, delay) = try pass.run(over: dataset)
    try pass.join(dataset, through: calibration)
    var made = PredictionsMade(
      models: models.loaded.map { Record.Model($0) },
      stages: models.stages(with: plan.settings), options: plan.options, bad: bad)
    if let delay {
      made.measurements = delay.summarize()
      made.notes += [delay.note].compactMap { $0 }
    }
    if plan.resumes {
      made.notes.append(
        "This run was interrupted and resumed: its latencies come from more than one process.")
    }
    for model in models.loaded where !model.isPinned {
      made.notes.append("\(model.name) has other bytes than the pinned ones.")
    }
    for stage in models.absent {
      made.notes.append("The stage \(stage.stage.rawValue) did not run: \(stage.reason).")
    }
    if plan.jobs > 1 {
      made.closingNotes.append(
        "Latency was measured with \(plan.jobs) frames at once: the workers slow each other down.")
    }
    return made
  }
}
