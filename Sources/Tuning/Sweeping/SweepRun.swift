internal import Calibration
internal import Datasets
package import FaceCore
package import FacePipeline
internal import Foundation
internal import Metrics
internal import Records
package import Running
internal import Scoring
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
    var stages: [Record.Stage]?
    var isLabelled: Bool
    /// The metrics that settings can have.
    var known: [SweepMetric]
    /// The stored output that settings were applied to; nil where models ran.
    var stored: SharedPredictions?
  }

  /// Takes all settings over the dataset and hands on every prediction; returns the settings and the work.
  ///
  /// For checks against full runs: nothing is written.
  package static func replay(
    _ plan: SweepPlan, monitor: RunMonitor = .silent, listener: @escaping Listener
  ) throws(EvaluationError) -> (settings: [FaceLandmarkerOptions], cost: SweepCost) {
    try EvaluationError.wrapping {
      let dataset = try DatasetReader(plan.evaluation.dataset)
      let findings = try find(plan, in: dataset, monitor: monitor, listener: listener)
      return (findings.settings.map { plan.options($0) }, findings.outcome.cost)
    }
  }

  static func find(
    _ plan: SweepPlan, in dataset: DatasetReader, sha256: String = "", folder: RunFolder? = nil,
    monitor: RunMonitor, listener: Listener? = nil
  ) throws -> Findings {
    try check(plan)
    let preparation = try Preparation(plan, of: dataset, monitor: monitor)
    let clusters = try clusters(of: dataset, monitor: monitor)
    let settings = preparation.settings
    if let folder {
      let digests = try plan.fileDigests()
      try folder.agree(
        on: PredictionsHeader(
          datasetName: dataset.name, datasetSHA256: sha256, datasetPath: "",
          mode: plan.evaluation.settings.runningMode.rawValue,
          models: preparation.records.map { .init($0) }, candidateFloor: 0, stages: [],
          options: plan.recordOptions(of: preparation.run).merging(
            plan.objectiveOptions.merging(["settings": "\(settings)"]) { $1 }
              .merging(digests) { $1 }
          ) { $1 }),
        jobs: plan.evaluation.jobs)
    }
    monitor.begin(.sweeping, dataset.frameCount)
    let outcome = try preparation.pass.run(
      over: dataset, into: plan.sums(settings: settings.count, clusters), clusters: clusters,
      folder: folder, listener: listener)
    let models = preparation.models
    return Findings(
      settings: settings, defaults: plan.defaults(landmarks: models?.variant), outcome: outcome,
      clusters: clusters.sizes, models: preparation.records,
      stages: models?.stages(with: plan.evaluation.settings), isLabelled: dataset.isLabelled,
      known: plan.metrics, stored: models == nil ? preparation.run : nil)
  }

  /// What a sweep needs before its first frame.
  struct Preparation {
    /// The models; nil where the settings apply to stored faces.
    let models: SweepModels?
    /// The stored output of a run; nil for none.
    let run: SharedPredictions?
    let settings: [[Double]]
    let pass: SweepPass

    /// Throws for a dataset that cannot be swept, and for settings that exclude each other.
    init(_ plan: SweepPlan, of dataset: DatasetReader, monitor: RunMonitor) throws {
      try plan.checkClips(of: dataset)
      let run = try plan.stored(for: dataset)
      let models = try plan.models(run, for: dataset)
      settings = try plan.settings(landmarks: models?.variant)
      let options = settings.map { plan.options($0) }
      if models != nil { for options in options { try options.validate() } }
      let lowest = options.map(\.minFaceDetectionConfidence).min() ?? 0
      pass = SweepPass(
        plan: plan.evaluation, settings: options, models: models,
        // The stored output replaces inferences if it reaches down to the loosest setting.
        stored: run.flatMap { models == nil || $0.candidateFloor <= lowest ? $0 : nil },
        expressions: SweptExpressions(
          plan.rules, parameters: plan.values.map(\.parameter), settings: settings),
        layout: plan.layout, clip: try RunMonitor.onlyClip(of: dataset),
        checkpointInterval: plan.checkpointInterval, monitor: monitor)
      self.run = run
      self.models = models
    }

    /// The models that run, or made the stored output.
    var records: [Record.Model] { models?.records ?? run?.models ?? [] }
  }

  /// What is resampled: subjects, videos, stills of one image, or stretches of the one clip.
  static func clusters(
    of dataset: DatasetReader, monitor: RunMonitor
  ) throws -> FrameClusters {
    var clusters = try monitor.clusters(of: dataset, cutsClip: true)
    for start in stride(from: 0, to: dataset.frameCount, by: 4096) {
      for frame in try dataset.frames(start..<min(start + 4096, dataset.frameCount)) {
        clusters.add(frame, of: dataset.sequence(frame.sequence))
      }
    }
    return clusters
  }
}

extension SweepPlan {
  /// Throws where only clips have what is varied or asked for, and there are none.
  fileprivate func checkClips(of dataset: DatasetReader) throws(EvaluationError) {
    let isOfStills = !dataset.sequences.contains { $0.kind == .video }
    if !values.isEmpty, values.allSatisfy({ $0.parameter.setting?.scope == .smoothing }),
      isOfStills || evaluation.settings.runningMode == .image
    {
      throw EvaluationError.wrongData(
        "cannot sweep \(values.map(\.parameter.name).joined(separator: " and ")): expected clips in "
          + "video mode, because smoothing acts between frames, found "
          + (isOfStills
            ? "stills alone in \(dataset.url.relativePath)" : "image mode (--mode video tracks)"))
    }
    guard isOfStills else { return }
    for objective in objectives {
      for metric in SweepMetric.all where objective.names.contains(metric.name) {
        guard let reason = metric.absenceOnStills else { continue }
        throw EvaluationError.wrongData(
          "cannot sweep for '\(objective)': expected clips for \(metric.name), found stills alone in "
            + "\(dataset.url.relativePath)\(reason)")
      }
    }
  }

  /// Sums of nothing yet, for all frames, resamples and folds.
  func sums(settings: Int, _ clusters: FrameClusters) -> ResampledSums {
    ResampledSums(
      settings: settings, clusters: clusters.count, bootstrap: bootstrap,
      folds: try? ClusterFolds(of: 0..<clusters.count, folds: folds, seed: bootstrap.seed),
      layout: layout)
  }

  /// The models that run; nil where the settings apply to stored faces.
  fileprivate func models(
    _ run: SharedPredictions?, for dataset: DatasetReader
  ) throws -> SweepModels? {
    guard runsModels else {
      try FrameStretch.check(dataset) { dataset.kind(ofSequence: $0.sequence) == .video }
      return nil
    }
    try dataset.requireImages()
    try FrameStretch.check(dataset) { evaluation.running.isTracked($0, in: dataset) }
    BLAS.setThreadCount(1)
    let models =
      try run.map { SweepModels(evaluation.running, of: $0) } ?? SweepModels(evaluation.running)
    guard let parameter = values.map(\.parameter).first(where: { $0.expression != nil }) else {
      return models
    }
    guard models.records.serving(.blendshapes) != nil else {
      throw EvaluationError.wrongData(
        "cannot sweep \(parameter.name): expected a blendshape model, found none")
    }
    return models
  }
}
