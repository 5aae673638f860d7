internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
package import Running
internal import Tensor

extension ShardRun {
  /// Runs the pipeline over a part, and writes the plan of all parts where no other shard has.
  ///
  /// `plan` is the whole run; what only the join needs is checked too. `replaces` makes a part again that is there.
  package static func run(
    _ plan: EvaluationPlan, _ request: ShardRequest, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    var monitor = monitor
    monitor.interruptionNote = interruptionNote
    let began = WorkMeter()
    return try EvaluationError.wrapping {
      let dataset = try DatasetReader(plan.dataset)
      let inputs = try plan.inputs(dataset)
      try dataset.requireImages()
      try FrameStretch.check(dataset) { plan.running.isTracked($0, in: dataset) }
      BLAS.setThreadCount(1)
      let models = try plan.running.loadedModels()
      let facts = PipelineFacts(models)
      try inputs.calibration?.check(models: facts.models.map { .init($0.model) }, tracker: nil)
      let folder = ShardFolder(of: plan.run)
      let (sha256, hashing) = try hash(dataset, in: folder, request, monitor)
      try inputs.gates?.check(dataset: dataset.name, sha256: sha256)
      let options = plan.running.predictionOptions.merging([
        "jobs": "\(plan.jobs)", "candidate-floor": "\(plan.settings.minCandidateScore)",
      ]) { $1 }
      let header = facts.header(plan.running, of: dataset, sha256: sha256)
      return try make(
        request,
        of: try ShardPlan(
          .evaluate, request, of: dataset, sha256: sha256, options: options, facts: facts),
        dataset, in: folder, replaces: plan.replaces, since: began, hashing: hashing
      ) { frames, file in
        try predict(
          frames, of: dataset, plan.running, models, header: header, to: file, monitor: monitor)
      }
    }
  }

  private static func predict(
    _ frames: Range<Int>, of dataset: DatasetReader, _ plan: RunPlan,
    _ models: FaceLandmarkerModels, header: PredictionsHeader, to file: URL, monitor: RunMonitor
  ) throws -> (PredictionsPart) throws -> Void {
    let writer = try PredictionsWriter(file, header: header)
    monitor.begin(.evaluating, frames.count)
    let analysis = try FrameAnalysis(plan: plan, models: models, of: dataset, monitor: monitor)
    var bad: [PredictionPass.BadFrame] = []
    var state: TrackingState?
    for start in stride(from: frames.lowerBound, to: frames.upperBound, by: SegmentWriter.length) {
      let range = start..<min(start + SegmentWriter.length, frames.upperBound)
      state = try analysis.run(range, from: state, bad: &bad) { prediction in
        var own = prediction
        own.frame -= frames.lowerBound
        try writer.add(own)
      }
    }
    return { try writer.finish(part: $0) }
  }
}
