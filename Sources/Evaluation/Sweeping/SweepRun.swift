internal import Calibration
internal import Datasets
package import FaceCore
package import FacePipeline
internal import Foundation
internal import Metrics
internal import Records
internal import Tensor

/// Tries many settings of the pipeline on a dataset at the price of few runs.
package enum SweepRun {
  /// Called with every prediction and the settings, by position, that made it.
  package typealias Listener = @Sendable (_ settings: [Int], FramePrediction) -> Void

  /// What the settings did, before anything is concluded from it.
  struct Findings {
    var settings: [[Double]]
    var defaults: [Double]
    var outcome: SweepPass.Outcome
    var clusters: ClusterSizes
    var models: [Record.Model]
    var stages: [Record.Stage]
    var isLabelled: Bool
    var landmarks: LandmarkVariant?
  }

  /// Takes all settings over the dataset and hands on every prediction; returns the settings and the work.
  ///
  /// For checks against full runs: nothing is written.
  package static func replay(
    _ plan: SweepPlan, monitor: RunMonitor = .silent, listener: @escaping Listener
  ) throws(EvaluationError) -> (settings: [FaceLandmarkerOptions], cost: SweepCost) {
    do {
      let dataset = try DatasetReader(plan.evaluation.dataset)
      let findings = try find(plan, in: dataset, monitor: monitor, listener: listener)
      return (findings.settings.map { plan.options($0) }, findings.outcome.cost)
    } catch {
      throw EvaluationError(error)
    }
  }

  static func find(
    _ plan: SweepPlan, in dataset: DatasetReader, sha256: String = "", folder: RunFolder? = nil,
    monitor: RunMonitor, listener: Listener? = nil
  ) throws -> Findings {
    try dataset.requireImages()
    let evaluation = plan.evaluation
    try FrameStretch.check(dataset) { evaluation.isTracked($0, in: dataset) }
    BLAS.setThreadCount(1)
    let run = try plan.stored(for: dataset)
    let models = try run.map { SweepModels(evaluation, of: $0) } ?? SweepModels(evaluation)
    let variant = models.variant
    let settings = try plan.settings(landmarks: variant)
    let options = settings.map { plan.options($0) }
    for options in options { try options.validate() }
    let lowest = options.map(\.minFaceDetectionConfidence).min() ?? 0
    let stored = run.flatMap { $0.candidateFloor <= lowest ? $0 : nil }
    var clusters = FrameClusters(photos: try monitor.repeatedImages(of: dataset))
    for start in stride(from: 0, to: dataset.frameCount, by: 4096) {
      for frame in try dataset.frames(start..<min(start + 4096, dataset.frameCount)) {
        clusters.add(
          frame.index, sequence: frame.sequence,
          subject: dataset.sequence(frame.sequence)?.subject ?? "",
          isVideo: dataset.kind(ofSequence: frame.sequence) == .video)
      }
    }
    let folds = try? ClusterFolds(
      of: 0..<clusters.count, folds: plan.folds, seed: plan.bootstrap.seed)
    if let folder {
      try folder.agree(
        on: PredictionsHeader(
          datasetName: dataset.name, datasetSHA256: sha256, datasetPath: "",
          mode: evaluation.settings.runningMode.rawValue,
          models: models.records.map { .init($0) },
          candidateFloor: 0, stages: [],
          options: plan.recordOptions.merging(["settings": "\(settings)"]) { $1 }),
        jobs: evaluation.jobs)
    }
    monitor.begin(.sweeping, dataset.frameCount)
    let outcome = try SweepPass(
      plan: evaluation, settings: options, models: models, clusters: clusters, stored: stored,
      monitor: monitor
    ).run(
      over: dataset,
      into: ResampledSums(
        settings: settings.count, clusters: clusters.count, bootstrap: plan.bootstrap, folds: folds),
      folder: folder, listener: listener)
    return Findings(
      settings: settings, defaults: plan.defaults(landmarks: variant), outcome: outcome,
      clusters: clusters.sizes, models: models.records,
      stages: models.stages(with: evaluation.settings), isLabelled: dataset.isLabelled,
      landmarks: variant)
  }
}
