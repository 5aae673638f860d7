internal import Datasets
internal import Digests
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
package import Records
internal import Tensor

/// Measures a detector on a labelled dataset, from the files to the record.
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
  /// An interrupted or resumed run keeps its partial folder; any other failure deletes it.
  package static func run(
    _ plan: EvaluationPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    do {
      let gates = try plan.gates.map { try readGates($0) }
      let dataset = try DatasetReader(plan.dataset)
      BLAS.setThreadCount(1)
      let net = try DetectorNet(plan.variant, from: plan.models)
      let host = HostFacts.host()
      let began = Date()
      let folder = try RunFolder(
        plan.run, replaces: plan.replaces, resumes: plan.resumes,
        inputs: [plan.dataset] + [plan.gates, plan.models].compactMap { $0 })
      do {
        monitor.begin("hashing", dataset.byteCount)
        let sha256 = try hash(dataset, monitor: monitor)
        let header = PredictionsHeader(
          datasetName: dataset.name, datasetSHA256: sha256, detector: net.name,
          detectorSHA256: net.sha256, candidateFloor: plan.candidateFloor,
          stages: FrameWorker.stages, options: plan.predictionOptions)
        try folder.agree(on: header, jobs: plan.jobs)
        let pass = PredictionPass(
          plan: plan, folder: folder, header: header, net: net, monitor: monitor)
        monitor.begin("evaluating", dataset.frameCount)
        let bad = try pass.run(over: dataset)
        try pass.join(frameCount: dataset.frameCount)
        var record = Record(
          tool: HostFacts.tool, created: began.formatted(.iso8601),
          dataset: Record.DatasetSummary(
            name: dataset.name, sha256: sha256, frames: dataset.frameCount,
            faces: dataset.faceCount, sequences: dataset.sequenceCount, badFrames: bad.count),
          models: [Record.Model(name: net.name, stage: "detection", sha256: net.sha256)],
          options: plan.options, host: host)
        if plan.resumes {
          record.notes.append(
            "This run was interrupted and resumed: its latencies come from more than one process.")
        }
        if dataset.frameCount == 0 { record.notes.append("The dataset has no frames.") }
        if !net.isPinned { record.notes.append("The detector is not one of the pinned nets.") }
        try score(
          &record, plan: plan, dataset: dataset, folder: folder, bad: bad, monitor: monitor)
        if let gates { record.gates = record.judge(gates) }
        try folder.write(try record.json(), to: "record.json")
        return Finished(record: record, folder: folder)
      } catch let error as EvaluationError where error.kind == .interrupted {
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
    _ record: inout Record, plan: EvaluationPlan, dataset: DatasetReader, folder: RunFolder,
    bad: [PredictionPass.BadFrame], monitor: RunMonitor
  ) throws {
    let predictions = try PredictionsReader(
      folder.partial.appendingPathComponent("predictions.h5"))
    var scoring = DetectionScoring(plan: plan, stages: predictions.header.stages)
    monitor.begin("scoring", dataset.frameCount)
    for range in PredictionPass.ranges(of: dataset.frameCount) {
      try monitor.check("while scoring")
      let frames = try dataset.frames(range)
      let labels = try dataset.labels(range)
      for (offset, prediction) in try predictions.predictions(range).enumerated() {
        let frame = frames[offset]
        try scoring.add(
          frame, isVideo: dataset.kind(ofSequence: frame.sequence) == .video,
          labels: labels[offset], prediction: prediction)
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
      for stage in FrameWorker.stages + ["unaccounted"] {
        let expanded = definition.at(stage: stage)
        known[expanded.name] = expanded.direction
      }
    }
    return try GatesFile(
      json: try InputFile.bytes(of: url), source: url.relativePath, metrics: known
    ).gates
  }

  private static func hash(_ dataset: DatasetReader, monitor: RunMonitor) throws -> String {
    var reported = 0
    return try SHA256.hexadecimal(ofFile: dataset.url.path) { read, _ in
      monitor.advance(by: read - reported)
      reported = read
    }
  }
}
