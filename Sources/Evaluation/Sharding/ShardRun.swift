internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
internal import Records
internal import Tensor

/// Makes one part of a run.
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
    /// Why the part that was there could not be kept; nil where none was there, or it was to be replaced.
    package let replaced: String?
  }

  /// What becomes of an interrupted shard.
  static let interruptionNote = "the shard has to start again"

  /// Runs the pipeline over a part, and writes the plan of all parts where no other shard has.
  ///
  /// `plan` is the whole run; what only the join needs is checked too. `replaces` makes a part again that is there.
  package static func run(
    _ plan: EvaluationPlan, _ request: ShardRequest, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    var monitor = monitor
    monitor.interruptionNote = interruptionNote
    let began = WorkMeter()
    do {
      let dataset = try DatasetReader(plan.dataset)
      let inputs = try plan.inputs(dataset)
      try dataset.requireImages()
      try FrameStretch.check(dataset) { plan.isTracked($0, in: dataset) }
      BLAS.setThreadCount(1)
      let models = try FaceLandmarkerModels(
        detector: plan.detector, landmarks: plan.landmarks, blendshapes: plan.blendshapeHead,
        own: plan.own, from: plan.models)
      let facts = PipelineFacts(models)
      try inputs.calibration?.check(models: facts.models.map { .init($0.model) }, tracker: nil)
      let folder = ShardFolder(of: plan.run)
      let (sha256, hashing) = try hash(dataset, in: folder, request, monitor)
      try inputs.gates?.check(dataset: dataset.name, sha256: sha256)
      let options = plan.predictionOptions.merging([
        "jobs": "\(plan.jobs)", "candidate-floor": "\(plan.settings.minCandidateScore)",
      ]) { $1 }
      let header = facts.header(plan, of: dataset, sha256: sha256)
      return try make(
        request,
        of: try ShardPlan(
          .evaluate, request, of: dataset, sha256: sha256, options: options, facts: facts),
        dataset, in: folder, replaces: plan.replaces, since: began, hashing: hashing
      ) { frames, file in
        try predict(frames, of: dataset, plan, models, header: header, to: file, monitor: monitor)
      }
    } catch {
      throw EvaluationError(error)
    }
  }

  /// The digest of the dataset, and what it took to find.
  static func hash(
    _ dataset: DatasetReader, in folder: ShardFolder, _ request: ShardRequest, _ monitor: RunMonitor
  ) throws -> (String, PredictionsPart.Work) {
    let before = WorkMeter()
    let sha256 = try monitor.hash(dataset, sharing: SharedDigests(in: folder, for: request))
    return (sha256, before.work(until: WorkMeter()))
  }

  /// Makes a part that is not there yet, and agrees on the plan with the other shards.
  ///
  /// `write` computes some frames into a file and returns what finishes that file.
  static func make(
    _ request: ShardRequest, of own: ShardPlan, _ dataset: DatasetReader, in folder: ShardFolder,
    replaces: Bool, since began: WorkMeter, hashing: PredictionsPart.Work,
    write: (_ frames: Range<Int>, _ file: URL) throws -> (PredictionsPart) throws -> Void
  ) throws -> Finished {
    let (index, count) = (request.index, request.count)
    let (known, digest) = try folder.agree(
      on: own, allowsOtherNumerics: request.allowsOtherNumerics)
    let frames = known.frames(ofPart: index)
    func finished(wasThere: Bool, replaced: String? = nil) -> Finished {
      Finished(
        shard: index, shards: count, frames: frames.count,
        file: folder.name(ShardFolder.fileName(ofPart: index)), wasThere: wasThere,
        replaced: replaced)
    }
    var fault: ShardFolder.PartFault?
    if !replaces {
      do throws(ShardFolder.PartFault) {
        _ = try folder.part(index, of: known, digest: digest)
        return finished(wasThere: true)
      } catch {
        // What cannot be read can be written again, too.
        fault = error.isThere ? error : nil
      }
    }
    let encoder = JSONEncoder.line
    var part = PredictionsPart(
      plan: digest, index: index, count: count, firstFrame: frames.lowerBound,
      sequences: try sequences(of: frames, in: dataset),
      host: String(decoding: try encoder.encode(HostFacts.host()), as: UTF8.self),
      numerics: String(decoding: try encoder.encode(Numerics.own), as: UTF8.self),
      attempt: request.attempt)
    let file = folder.file(ofPart: index)
    let (before, started) = (MachineLoad.now(), WorkMeter())
    let finish = try write(frames, file)
    part.start = began.work(until: started)
    part.digest = hashing
    part.work = started.work(until: WorkMeter())
    if !frames.isEmpty {
      part.noise =
        MachineLoad.now().machine(
          since: before, cores: ProcessInfo.processInfo.activeProcessorCount
        ).noise
    }
    try finish(part)
    return finished(wasThere: false, replaced: fault?.reason)
  }

  private static func predict(
    _ frames: Range<Int>, of dataset: DatasetReader, _ plan: EvaluationPlan,
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

  private static func sequences(
    of frames: Range<Int>, in dataset: DatasetReader
  ) throws -> Range<Int> {
    guard let first = frames.first, let last = frames.last else { return 0..<0 }
    let ends = try [first, last].map { try dataset.frames($0..<$0 + 1)[0].sequence }
    return dataset.sequences.isEmpty ? frames : ends[0]..<max(ends[0], ends[1]) + 1
  }
}
