internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
package import Records

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
  /// interruption of a run that cannot go on later: of live mode and of predictions that are only judged.
  package static func run(
    _ plan: EvaluationPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    var monitor = monitor
    if plan.settings.runningMode == .live {
      monitor.aftermath = "a live run cannot go on later, so nothing is kept"
    }
    if plan.predictions != nil { monitor.aftermath = "nothing was written" }
    let canResume = plan.predictions == nil && plan.settings.runningMode != .live
    do {
      let rules = try plan.expressions.map {
        try ExpressionRules(json: try InputFile.bytes(of: $0), source: $0.relativePath)
      }
      let gates = try plan.gates.map { try readGates($0, rules: rules ?? .builtIn) }
      let dataset = try DatasetReader(plan.dataset)
      let source: any PredictionSource =
        if let predictions = plan.predictions {
          try GivenPredictions(plan, predictions, of: dataset)
        } else {
          try PipelineRun(plan, on: dataset)
        }
      let host = HostFacts.host()
      let began = Date()
      let folder = try RunFolder(
        plan.run, replaces: plan.replaces, resumes: plan.resumes,
        inputs: [plan.dataset] + dataset.files
          + [plan.gates, plan.expressions, plan.models, plan.predictions].compactMap { $0 })
      do {
        let sha256 = try monitor.hash(dataset)
        let made = try source.predict(dataset, sha256: sha256, into: folder, monitor: monitor)
        var record = Record(
          tool: HostFacts.tool, created: began.formatted(.iso8601),
          dataset: Record.DatasetSummary(
            name: dataset.name, sha256: sha256, frames: dataset.frameCount,
            faces: dataset.faceCount, sequences: dataset.sequenceCount, badFrames: made.bad.count),
          models: made.models, stages: made.stages, options: made.options, host: host)
        if dataset.frameCount == 0 { record.notes.append("The dataset has no frames.") }
        record.notes += made.notes
        try score(
          &record, tracker: source.tracker, galleryCount: plan.galleryCount, dataset: dataset,
          folder: folder, bad: made.bad, rules: rules, monitor: monitor)
        record.notes += made.closingNotes
        if let gates { record.gates = record.judge(gates) }
        try folder.write(try record.json(), to: "record.json")
        return Finished(record: record, folder: folder)
      } catch let error as EvaluationError where error.kind == .interrupted && canResume {
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
    _ record: inout Record, tracker: JudgedTracker, galleryCount: Int, dataset: DatasetReader,
    folder: RunFolder, bad: [PredictionPass.BadFrame], rules: ExpressionRules?, monitor: RunMonitor
  ) throws {
    let predictions = try PredictionsReader(
      folder.partial.appendingPathComponent("predictions.h5"))
    var scoring = Scoring(
      tracker, stages: predictions.header.stages, isLabelled: dataset.isLabelled,
      galleryCount: galleryCount, rules: rules)
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

  private static func readGates(_ url: URL, rules: ExpressionRules) throws -> [Gate] {
    var known: [String: Direction] = [:]
    for definition in MetricCatalog.all {
      for stage in PipelineStage.names + ["unaccounted"] {
        let expanded = definition.at(stage: stage)
        for name in rules.names {
          known[expanded.at(expression: name).name] = expanded.direction
        }
      }
    }
    return try GatesFile(
      json: try InputFile.bytes(of: url), source: url.relativePath, metrics: known
    ).gates
  }
}
