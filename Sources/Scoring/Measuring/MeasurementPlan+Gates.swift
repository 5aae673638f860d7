internal import Datasets
internal import Foundation
internal import Metrics
internal import Records
internal import Running

extension MeasurementPlan {
  /// Measures the run, and the base where there is one, and adds how they differ and what the gates say.
  ///
  /// `measure` gets a folder for images where the result has one.
  /// Throws `.wrongData` where the dataset, or that of the base, is another than the run's.
  func measured<Result>(
    _ monitor: RunMonitor, verdicts: WritableKeyPath<Result, ResultVerdicts?>,
    _ measure: (StoredRun, DatasetReader, StoredRun.Opened, RunFolder?) throws -> (
      result: Result, metrics: [ResampledMetrics]
    )
  ) throws(EvaluationError) -> Measured<Result> {
    try EvaluationError.wrapping {
      let gates = try readGates()
      let run = try StoredRun(source)
      let dataset = try DatasetReader(try run.dataset(self.dataset))
      let predictions = try run.opened(for: dataset)
      let base = try self.base.map { try StoredRun($0) }
      if let base { try ComparedRuns.check(base, run) }
      let earlier = try base?.opened(for: dataset)
      return try Measured(
        into: output, replaces: replaces,
        inputs: [source, self.base].compactMap(\.self) + dataset.files
      ) { folder in
        try run.check(dataset, to: "measure", monitor)
        var (result, metrics) = try measure(run, dataset, predictions, folder)
        var before: (run: StoredRun, metrics: [ResampledMetrics])?
        if let base, let earlier {
          before = (base, try measure(base, dataset, earlier, nil).metrics)
        }
        result[keyPath: verdicts] = self.verdicts(gates, of: metrics, ofRun: run, base: before)
        return result
      }
    }
  }

  /// The gates, read before anything is measured; throws where one limits a change and there is no base.
  private func readGates() throws -> [Gate] {
    guard let file = gates else { return [] }
    let read = try GateInputs.gates(of: file)
    if base == nil { try GateInputs.requireBase(of: read, in: file) }
    return read
  }

  /// What gates say of metrics, and how they differ from the base's; nil where neither was asked for.
  private func verdicts(
    _ gates: [Gate], of metrics: [ResampledMetrics], ofRun run: StoredRun,
    base: (run: StoredRun, metrics: [ResampledMetrics])?
  ) -> ResultVerdicts? {
    guard base != nil || self.gates != nil else { return nil }
    let changes = base.map { zip(metrics, $0.metrics).flatMap { $0.changes(from: $1) } } ?? []
    let measurements = metrics.flatMap(\.measurements)
    let before = base?.metrics.flatMap(\.measurements) ?? []
    let results = gates.map { gate in
      gate.evaluate(
        measurements.first { $0.isMeant(by: gate) }, base: before.first { $0.isMeant(by: gate) },
        difference: changes.first { $0.metric.isMeant(by: gate) }?.difference.interval)
    }
    let units = gates.reduce(into: [String: String]()) { units, gate in
      let meant = (measurements + before).first { $0.isMeant(by: gate) }
      units[gate.metric] = meant?.unit ?? units[gate.metric]
    }
    return ResultVerdicts(
      base: base?.run.name,
      changes: changes.compactMap { change in
        guard let value = change.metric.value, let before = change.base.value else { return nil }
        return ResultVerdicts.Change(
          metric: change.metric.name, slice: change.metric.slice, unit: change.metric.unit,
          value: value, base: before, difference: Response.Estimate(change.difference))
      }, gates: results.withheld(for: run.objection).withheld(forBase: base?.run.objection),
      units: units)
  }
}

extension StoredRun {
  /// Why what is measured of the run is probably wrong, as its record has it; nil where nothing is suspect.
  package var objection: String? {
    record.findings?.objection(accepting: "evaluate the run again with")
  }

  /// The names of its findings that a person has accepted.
  package var accepted: [String] { (record.findings ?? []).filter(\.isAccepted).map(\.name) }

  /// The same as a note, none or one.
  package var cautions: [String] { objection.map { ["\(name): \($0)"] } ?? [] }
}

extension Records.Measurement {
  fileprivate func isMeant(by gate: Gate) -> Bool { name == gate.metric && slice == gate.slice }
}
