internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
internal import Tensor

/// Runs the pipeline over one part of a dataset.
package enum ShardRun {
  /// A part that is there.
  package struct Finished: Sendable, Codable {
    /// Its number, from 0.
    package let shard: Int
    /// How many parts there are.
    package let shards: Int
    /// How many frames it holds.
    package let frames: Int
    /// Its file.
    package let file: String
    /// Whether an earlier process had made it already.
    package let wasThere: Bool
  }

  /// Makes a part, and the plan of all parts where no other shard has.
  ///
  /// - Parameters:
  ///   - plan: The whole run; what only the join needs is checked too. `replaces` makes a part again that is there.
  ///   - arguments: The words after `facegauge evaluate`, without the shard, from which the join plans again.
  ///   - allowsOtherNumerics: Whether the machine may compute otherwise than that of the first shard.
  package static func run(
    _ plan: EvaluationPlan, part index: Int, of count: Int, arguments: [String],
    allowsOtherNumerics: Bool = false, environment: [String: String] = [:],
    monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    var monitor = monitor
    monitor.interruptionNote = "the shard has to start again"
    do {
      let inputs = try plan.inputs()
      let dataset = try DatasetReader(plan.dataset)
      try dataset.requireImages()
      try FrameStretch.check(dataset) { plan.isTracked($0, in: dataset) }
      BLAS.setThreadCount(1)
      if let limit = Kernels.limit, limit != Numerics.own.kernels {
        throw EvaluationError(
          .unavailable,
          "cannot compute with \(Kernels.limitVariable)=\(limit): expected one of "
            + Kernels.available.map(\.name).joined(separator: ", ") + " on this machine")
      }
      let models = try FaceLandmarkerModels(
        detector: plan.detector, landmarks: plan.landmarks, blendshapes: plan.blendshapeHead,
        from: plan.models)
      let facts = PipelineFacts(models)
      try inputs.calibration?.check(models: facts.models.map { .init($0.model) }, tracker: nil)
      let sha256 = try monitor.hash(dataset)
      try inputs.gates?.check(dataset: dataset.name, sha256: sha256)
      let folder = ShardFolder(of: plan.run)
      let own = try ShardPlan(
        plan, shards: count, of: dataset, sha256: sha256, facts: facts, arguments: arguments)
      let (known, digest) = try folder.agree(on: own, allowsOtherNumerics: allowsOtherNumerics)
      let frames = known.frames(ofPart: index)
      func finished(wasThere: Bool) -> Finished {
        Finished(
          shard: index, shards: count, frames: frames.count,
          file: folder.name(ShardFolder.fileName(ofPart: index)), wasThere: wasThere)
      }
      if !plan.replaces, (try? folder.part(index, of: known, digest: digest)) != nil {
        return finished(wasThere: true)
      }
      let encoder = JSONEncoder.line
      let part = PredictionsPart(
        plan: digest, index: index, count: count, firstFrame: frames.lowerBound,
        sequences: try sequences(of: frames, in: dataset),
        host: String(decoding: try encoder.encode(HostFacts.host()), as: UTF8.self),
        numerics: String(decoding: try encoder.encode(Numerics.own), as: UTF8.self),
        attempt: attempt(in: environment))
      try write(
        part, frames, of: dataset, plan: plan, models: models,
        header: facts.header(plan, of: dataset, sha256: sha256),
        to: folder.file(ofPart: index), monitor: monitor)
      return finished(wasThere: false)
    } catch {
      throw EvaluationError(error)
    }
  }

  private static func write(
    _ part: PredictionsPart, _ frames: Range<Int>, of dataset: DatasetReader,
    plan: EvaluationPlan, models: FaceLandmarkerModels, header: PredictionsHeader, to file: URL,
    monitor: RunMonitor
  ) throws {
    let temporary = UniqueFile.temporary(for: file)
    do {
      let writer = try PredictionsWriter(temporary, header: header)
      monitor.begin(.evaluating, frames.count)
      let before = MachineLoad.now()
      let analysis = try FrameAnalysis(plan: plan, models: models, of: dataset, monitor: monitor)
      var bad: [PredictionPass.BadFrame] = []
      var state: TrackingState?
      for start in stride(from: frames.lowerBound, to: frames.upperBound, by: SegmentWriter.length)
      {
        let range = start..<min(start + SegmentWriter.length, frames.upperBound)
        state = try analysis.run(range, from: state, bad: &bad) { prediction in
          var own = prediction
          own.frame -= frames.lowerBound
          try writer.add(own)
        }
      }
      var part = part
      part.noise =
        frames.isEmpty
        ? []
        : MachineLoad.now().machine(
          since: before, cores: ProcessInfo.processInfo.activeProcessorCount
        ).noise
      try writer.finish(part: part)
      try UniqueFile.commit(temporary, as: file)
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw error
    }
  }

  private static func sequences(
    of frames: Range<Int>, in dataset: DatasetReader
  ) throws -> Range<Int> {
    guard let first = frames.first, let last = frames.last else { return 0..<0 }
    let ends = try [first, last].map { try dataset.frames($0..<$0 + 1)[0].sequence }
    return dataset.sequences.isEmpty ? frames : ends[0]..<max(ends[0], ends[1]) + 1
  }

  /// How often the scheduler has started the process, from 1.
  private static func attempt(in environment: [String: String]) -> Int {
    if let restarts = environment["SLURM_RESTART_COUNT"].flatMap(Int.init) { return restarts + 1 }
    return environment["AWS_BATCH_JOB_ATTEMPT"].flatMap(Int.init) ?? 1
  }
}
