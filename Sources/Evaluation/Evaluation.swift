internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
package import Records
internal import Tensor

/// Measures the face pipeline on a dataset, from the files to the record.
package enum Evaluation {
  /// A run whose record is made; its folder gets its name with `commit()`.
  package struct Finished: Sendable {
    /// The result.
    package let record: Record
    /// The folder, still under its partial name.
    package let folder: RunFolder
  }

  /// Evaluates and leaves record, predictions and pictures in the run's partial folder.
  ///
  /// An interrupted or resumed run keeps its partial folder; any other failure deletes it, and so does the
  /// interruption of a live run, whose clips cannot go on later.
  package static func run(
    _ plan: EvaluationPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    let isLive = plan.settings.runningMode == .live
    var monitor = monitor
    if isLive { monitor.aftermath = "a live run cannot go on later, so nothing is kept" }
    do {
      let gates = try plan.gates.map { try readGates($0) }
      let dataset = try DatasetReader(plan.dataset)
      guard dataset.withoutPictureCount == 0 else {
        throw DatasetError(
          .wrongData,
          "cannot evaluate \(plan.dataset.relativePath): expected a picture in each of "
            + "\(dataset.frameCount) frames, found none in \(dataset.withoutPictureCount)")
      }
      BLAS.setThreadCount(1)
      let nets = try FaceLandmarkerNets(
        detector: plan.detector, landmarks: plan.landmarks, from: plan.models)
      let host = HostFacts.host()
      let began = Date()
      let folder = try RunFolder(
        plan.run, replaces: plan.replaces, resumes: plan.resumes,
        inputs: [plan.dataset] + [plan.gates, plan.models].compactMap { $0 })
      do {
        let sha256 = try monitor.hash(dataset)
        let header = PredictionsHeader(
          datasetName: dataset.name, datasetSHA256: sha256,
          datasetPath: plan.dataset.standardizedFileURL.path,
          mode: plan.settings.runningMode.rawValue,
          models: nets.models.map { .init(name: $0.name, stage: $0.stage, sha256: $0.sha256) },
          candidateFloor: plan.settings.leastCandidateScore, stages: PipelineStage.names,
          options: plan.predictionOptions)
        if !isLive { try folder.agree(on: header, jobs: plan.jobs) }
        let pass = PredictionPass(
          plan: plan, folder: folder, header: header, nets: nets, monitor: monitor)
        monitor.begin("evaluating", dataset.frameCount)
        let bad = try pass.run(over: dataset)
        try pass.join(frameCount: dataset.frameCount)
        var record = Record(
          tool: HostFacts.tool, created: began.formatted(.iso8601),
          dataset: Record.DatasetSummary(
            name: dataset.name, sha256: sha256, frames: dataset.frameCount,
            faces: dataset.faceCount, sequences: dataset.sequenceCount, badFrames: bad.count),
          models: nets.models.map {
            Record.Model(name: $0.name, stage: $0.stage, sha256: $0.sha256)
          },
          stages: nets.stages(with: plan.settings), options: plan.options, host: host)
        if plan.resumes {
          record.notes.append(
            "This run was interrupted and resumed: its latencies come from more than one process.")
        }
        if dataset.frameCount == 0 { record.notes.append("The dataset has no frames.") }
        for model in nets.models where !model.isPinned {
          record.notes.append("\(model.name) has other bytes than the pinned ones.")
        }
        for stage in nets.absent {
          record.notes.append("The stage \(stage.stage) did not run: \(stage.reason).")
        }
        try score(
          &record, plan: plan, nets: nets, dataset: dataset, folder: folder, bad: bad,
          monitor: monitor)
        if let gates { record.gates = record.judge(gates) }
        try folder.write(try record.json(), to: "record.json")
        return Finished(record: record, folder: folder)
      } catch let error as EvaluationError where error.kind == .interrupted && !isLive {
        throw error
      } catch {
        folder.discard()
        throw error
      }
    } catch {
      throw EvaluationError(error)
    }
  }

  private static func score(
    _ record: inout Record, plan: EvaluationPlan, nets: FaceLandmarkerNets,
    dataset: DatasetReader, folder: RunFolder, bad: [PredictionPass.BadFrame],
    monitor: RunMonitor
  ) throws {
    let predictions = try PredictionsReader(
      folder.partial.appendingPathComponent("predictions.h5"))
    var scoring = Scoring(
      plan: plan, nets: nets, stages: predictions.header.stages, isLabelled: dataset.isLabelled)
    monitor.begin("scoring", dataset.frameCount)
    for range in PredictionPass.ranges(of: dataset.frameCount) {
      try monitor.check("while scoring")
      let frames = try dataset.frames(range)
      let labels = try dataset.labels(range)
      for (offset, prediction) in try predictions.predictions(range).enumerated() {
        let frame = frames[offset]
        try scoring.add(
          frame, video: dataset.video(ofSequence: frame.sequence), labels: labels[offset],
          prediction: prediction)
      }
      monitor.advance(by: range.count)
    }
    record.measurements = scoring.measurements()
    record.series = try scoring.series()
    record.notes += scoring.notes()
    for frame in bad.prefix(20) {
      let name = try dataset.frames(frame.frame..<(frame.frame + 1))[0].name
      record.notes.append("Skipped frame \(frame.frame) '\(name)': \(frame.reason)")
    }
    record.gallery = try Gallery.write(scoring.worst.entries, of: dataset, into: folder)
  }

  private static func readGates(_ url: URL) throws -> [Gate] {
    var known: [String: Direction] = [:]
    for definition in MetricCatalog.all {
      for stage in PipelineStage.names + ["unaccounted"] {
        let expanded = definition.at(stage: stage)
        known[expanded.name] = expanded.direction
      }
    }
    return try GatesFile(
      json: try InputFile.bytes(of: url), source: url.relativePath, metrics: known
    ).gates
  }
}
