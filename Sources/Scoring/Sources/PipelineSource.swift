internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Records
internal import Running
internal import Tensor

/// Predictions that our own pipeline makes, frame by frame.
struct PipelineSource: PredictionSource {
  let tracker: PredictionOrigin
  private let calibration: AppliedCalibration?
  private let plan: EvaluationPlan
  private let models: FaceLandmarkerModels
  private let facts: PipelineFacts

  /// Loads the models; throws where one is wrong or a frame has no image.
  init(
    _ plan: EvaluationPlan, on dataset: DatasetReader, calibration: AppliedCalibration?
  ) throws {
    try dataset.requireImages()
    BLAS.setThreadCount(1)
    self.plan = plan
    models = try plan.running.loadedModels()
    facts = PipelineFacts(models)
    var tracker = PredictionOrigin(plan, facts: facts)
    tracker.take(calibration?.detector)
    self.tracker = tracker
    self.calibration = calibration
    try calibration?.check(models: models.loaded.map { .init($0) }, tracker: nil)
  }

  func predict(
    _ dataset: DatasetReader, sha256: String, into folder: RunFolder, monitor: RunMonitor
  ) throws -> PredictionsMade {
    let header = facts.header(plan.running, of: dataset, sha256: sha256)
    if plan.settings.runningMode != .live { try folder.agree(on: header, jobs: plan.jobs) }
    let pass = PredictionPass(
      plan: plan.running, folder: folder, header: header, models: models, monitor: monitor)
    monitor.begin(.evaluating, dataset.frameCount)
    var delay = LiveDelay()
    let bad = try pass.run(over: dataset) { event in
      switch event {
      case .offered(let late): delay.add(nanoseconds: late)
      case .passedOver: delay.addPassedOver()
      case .ended(let late): delay.addClip(nanoseconds: late)
      }
    }
    try pass.join(
      dataset, header: calibration?.header(header) ?? header, map: calibration?.map(of: dataset))
    var made = facts.made(plan, bad: bad)
    if folder.isResumed {
      made.notes.insert(PredictionsMade.resumedNote, at: 0)
    }
    if plan.settings.runningMode == .live {
      made.measurements = delay.summarize()
      made.notes = [delay.note].compactMap { $0 } + made.notes
    }
    return made
  }
}
