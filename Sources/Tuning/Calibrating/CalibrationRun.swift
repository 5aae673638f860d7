package import Calibration
internal import Datasets
internal import FaceCore
internal import Foundation
internal import Metrics
internal import Platform
package import Records
package import Running
internal import Scoring

/// Calibrates the scores, thresholds and blendshapes of a run against the labels of its dataset.
package enum CalibrationRun {
  /// A calibration and its report.
  package struct Finished: Sendable {
    /// The contents of the file.
    package let file: CalibrationFile
    /// The same as a record without metrics: curves before and after, and tables.
    package let record: Record
    /// The folder of the report under its partial name, if one was asked for.
    package let folder: RunFolder?
    /// Whether a threshold was looked for and none meets the objective.
    package let hasUnmetObjective: Bool
  }

  /// Scores the run's predictions again, fits the requested subjects, and writes the file.
  ///
  /// Throws `.wrongData` for a run on another dataset or of calibrated scores, where something that was asked
  /// for cannot be calibrated, and where nothing can.
  package static func run(
    _ plan: CalibrationPlan, monitor: RunMonitor = .silent
  ) throws(EvaluationError) -> Finished {
    let monitor = monitor.keepingNothing
    return try EvaluationError.wrapping {
      let search = try ThresholdSearch(try Objective(parsing: plan.objective))
      let rules = try ExpressionRules.read(plan.expressions)
      let run = try StoredRun(plan.run)
      let dataset = try DatasetReader(try run.dataset(plan.dataset))
      let inputs =
        [
          plan.run, plan.recording, plan.restingRun, plan.sweep, plan.prompts, plan.against,
          plan.expressions,
        ].compactMap { $0 } + dataset.files
      let ofRuns = [plan.run, plan.restingRun, plan.sweep].compactMap { $0 }.flatMap { folder in
        ["record.json", "predictions.h5"].map { folder.appendingPathComponent($0) }
      }
      for input in inputs + ofRuns { try plan.output.requireOther(than: input) }
      let output = try AtomicFile(plan.output, replacing: plan.replaces)
      let folder = try plan.report.map { report in
        try RunFolder(report, replaces: plan.replaces, resumes: false, inputs: inputs)
      }
      do {
        try run.check(dataset, to: "calibrate", monitor)
        var fitting = try CalibrationFitting(
          plan, run, dataset, rules: rules ?? .builtIn, search: search, monitor: monitor)
        try fitting.fit()
        let file = fitting.file
        var record = Record(
          tool: file.tool, created: file.created, dataset: run.record.dataset,
          models: run.record.models, options: run.record.options, host: HostFacts.host(),
          notes: file.notes + (file.settings?.notes ?? []), series: fitting.series)
        record.findings =
          try [Finding].of(run.predictions, dataset).accepting(run.accepted) + fitting.findings
        record.dataset.file = nil
        record.options["run"] = run.name
        let bytes = try file.json(source: plan.output.lastPathComponent)
        try folder?.write(try record.json(), to: "record.json")
        try output.write(bytes)
        return Finished(
          file: file, record: record, folder: folder,
          hasUnmetObjective: fitting.hasUnmetObjective)
      } catch {
        folder?.discard()
        throw error
      }
    }
  }
}
