internal import Checking
internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running

/// Measures the face pipeline on a dataset, from the files to the record.
package enum Evaluation {
  /// A run whose record is made; its folder gets its name with `commit()`.
  package struct Finished: Sendable {
    /// The result.
    package let record: Record
    /// The folder, still under its partial name.
    package let folder: RunFolder

    /// A run whose record and folder are these.
    package init(record: Record, folder: RunFolder) {
      self.record = record
      self.folder = folder
    }
  }

  /// Evaluates and leaves record, predictions and images in the run's partial folder.
  ///
  /// An interrupted or resumed run keeps its partial folder; any other failure deletes it, and so does the
  /// interruption of a run that cannot be resumed: of live mode, of a seeded tracker, and of
  /// predictions that are only evaluated.
  package static func run(
    _ plan: EvaluationPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    var monitor = monitor
    if plan.settings.runningMode == .live {
      monitor.interruptionNote = "a live run cannot be resumed, so nothing is kept"
    }
    let isWhole = plan.predictions != nil || plan.tracker != nil || plan.shards != nil
    if isWhole { monitor = monitor.keepingNothing }
    let canResume = !isWhole && plan.settings.runningMode != .live
    return try EvaluationError.wrapping {
      let dataset = try DatasetReader(plan.dataset)
      try check(dataset)
      let runsPipeline = plan.predictions == nil && plan.tracker == nil
      let stills = runsPipeline ? dataset.noteOnStills(in: plan.settings.runningMode) : nil
      if let stills { monitor.note(stills) }
      let (rules, attributes, calibration, gates) = try plan.inputs(dataset)
      let source: any PredictionSource =
        if let predictions = plan.predictions {
          try FileSource(plan, predictions, of: dataset, calibration: calibration)
        } else if let tracker = plan.tracker {
          try SeededSource(plan, tracker, on: dataset)
        } else if let shards = plan.shards {
          try JoinedSource(plan, shards, of: dataset, calibration: calibration)
        } else {
          try PipelineSource(plan, on: dataset, calibration: calibration)
        }
      let host = HostFacts.host()
      let began = Date()
      let folder = try RunFolder(
        plan.run, replaces: plan.replaces, resumes: plan.resumes,
        inputs: [plan.dataset] + dataset.files
          + [
            plan.gates, plan.base, plan.expressions, plan.attributes, plan.models,
            plan.blendshapeHead, plan.predictions, plan.calibration,
          ].compactMap(\.self), monitor: monitor)
      return try folder.filling(canResume: canResume) {
        let sha256 = try monitor.hash(dataset)
        try gates?.check(dataset: dataset.name, sha256: sha256)
        let before = MachineLoad.now()
        let made = try source.predict(dataset, sha256: sha256, into: folder, monitor: monitor)
        let noise =
          made.origin?.noise ?? MachineLoad.now().machine(since: before, cores: host.cores).noise
        var record = Record(
          tool: HostFacts.tool, created: began.formatted(.iso8601),
          dataset: Record.DatasetSummary(
            name: dataset.name, file: plan.dataset.path(from: folder.url), sha256: sha256,
            frames: dataset.frameCount,
            faces: dataset.faceCount, sequences: dataset.sequenceCount, badFrames: made.bad.count),
          models: made.models, stages: made.stages, options: made.options,
          host: made.origin?.host ?? host)
        record.options.merge(plan.pairing.options) { $1 }
        if let rules, let file = plan.expressions {
          record.options[EvaluationPlan.expressionsOption] =
            "\(file.lastPathComponent) (\(rules.names.joined(separator: ", ")))"
        }
        if let file = plan.attributes {
          record.options["attributes"] =
            "\(file.lastPathComponent) (\(attributes.names.joined(separator: ", ")))"
        }
        if let calibration { record.options[AppliedCalibration.option] = calibration.note }
        if dataset.frameCount == 0 { record.notes.append("The dataset has no frames.") }
        if dataset.otherObjectCount > 0 {
          record.notes.append(
            "\(dataset.otherObjectCount) labelled objects of other categories than faces take no "
              + "part.")
        }
        if !dataset.unknownSchemes.isEmpty {
          record.notes.append(
            "Landmarks of unknown schemes are not read: "
              + dataset.unknownSchemes.joined(separator: ", ") + ".")
        }
        record.notes += [stills].compactMap { $0 } + made.notes
        let scoring = try score(
          &record, tracker: source.tracker, plan: plan, dataset: dataset, folder: folder,
          bad: made.bad, rules: rules, attributes: attributes, monitor: monitor)
        record.dataset.faces -= scoring.unlabelledFrames
        record.findings = try RunFindings(dataset: dataset, folder: folder, monitor: monitor)
          .found(accepting: plan.accepted, minSide: plan.minDecodedSide, notes: &record.notes) {
            try scoring.review(
              $0.frame, isVideo: $0.isVideo, labels: $0.labels, prediction: $0.prediction)
          }
        record.measurements += made.measurements
        record.headlines = MetricCatalog.headlines(among: record.measurements)
        record.notes += made.closingNotes + HostFacts.unknownCommit
        record.series += made.series
        if let calibration,
          let heldOut = try calibration.heldOut(
            on: dataset, sha256: sha256, comparedWith: record, monitor: monitor)
        {
          record.notes.insert(heldOut.warning, at: 0)
          record.series.append(heldOut.table)
        }
        if let warning = try calibration?.conditionsWarning(
          PredictionsReader(folder.partial.appendingPathComponent("predictions.h5")), of: dataset,
          monitor: monitor)
        {
          record.notes.insert(warning, at: 0)
        }
        if plan.predictions == nil, !noise.isEmpty {
          record.notes.append(
            "The machine was noisy while the frames ran, so latencies are too long: "
              + noise.joined(separator: "; ") + ".")
        }
        gates?.evaluate(&record) { scoring.count(beyondLimitOf: $0) }
        if let base = plan.base { record.options["base"] = base.relativePath }
        try folder.write(try record.json(), to: "record.json")
        return Finished(record: record, folder: folder)
      }
    }
  }

  /// Throws if labels are there but none of a face.
  private static func check(_ dataset: DatasetReader) throws(EvaluationError) {
    guard dataset.faceCount > 0 || dataset.otherObjectCount == 0 else {
      throw EvaluationError.wrongData(
        "cannot evaluate \(dataset.url.relativePath): expected labels of category 1, which is faces, "
          + "found \(dataset.otherObjectCount) of other categories ('facegauge import --category' "
          + "names the one that is)")
    }
  }

  private static func score(
    _ record: inout Record, tracker: PredictionOrigin, plan: EvaluationPlan, dataset: DatasetReader,
    folder: RunFolder, bad: [PredictionPass.BadFrame], rules: ExpressionRules?,
    attributes: AttributeRules, monitor: RunMonitor
  ) throws -> Scoring {
    let predictions = folder.partial.appendingPathComponent("predictions.h5")
    let empty = Scoring(
      tracker, stages: try PredictionsReader(predictions).header.stages,
      of: dataset, galleryCount: plan.galleryCount, rules: rules,
      attributes: attributes, clusters: try monitor.clusters(of: dataset, cutsClip: true),
      condensesVideos: true)
    let pass = ScoringPass(dataset: dataset, monitor: monitor, partSize: plan.scoringPart)
    let scoring = try pass.scored([(empty, predictions)])[0]
    FreedMemory.release()
    let intervals = IntervalPass(
      bootstrap: plan.bootstrap, minSliceCount: plan.minSliceCount, monitor: monitor)
    let (measurements, gaps) = try intervals.results(of: scoring)
    record.measurements = measurements
    record.series =
      try scoring.series(record.measurements)
      + [
        SliceSpread.table(record.measurements), SliceGapTable.series(gaps),
        SeveritySlices.quantities(record.measurements),
      ].compactMap { $0 }
    record.notes +=
      SeveritySlices.notes(record.measurements) + scoring.notes() + intervals.notes(of: scoring)
    for frame in bad.prefix(20) {
      let name = try dataset.frames(frame.frame..<(frame.frame + 1))[0].name
      record.notes.append("Skipped frame \(frame.frame) '\(name)': \(frame.reason)")
    }
    record.gallery = try Gallery.write(
      scoring.worst.entries, of: dataset, minSide: plan.minDecodedSide, into: folder,
      notes: &record.notes)
    return scoring
  }
}
