internal import Datasets
internal import Foundation
internal import Metrics
internal import Records
internal import Running

extension MeasurementPlan {
  /// The folders that are read, which no output may replace.
  var runs: [URL] { [source] + (base.map { [$0] } ?? []) }

  /// The base with its predictions of the dataset; nil without one.
  func openedBase(
    for dataset: DatasetReader
  ) throws -> (run: StoredRun, opened: StoredRun.Opened)? {
    try base.map { url in
      let run = try StoredRun(url)
      return (run, try run.opened(for: dataset))
    }
  }

  /// The gates, read before anything is measured; throws where one limits a change and there is no base.
  func readGates() throws -> [Gate] {
    guard let file = gates else { return [] }
    let read = try GateInputs.gates(of: file)
    if base == nil { try GateInputs.requireBase(of: read, in: file) }
    return read
  }

  /// What gates say of metrics, and how they differ from the base's; nil where neither was asked for.
  func verdicts(
    _ gates: [Gate], of metrics: [ResampledMetrics], ofRun run: StoredRun,
    base: (source: String, metrics: [ResampledMetrics])?
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
    return ResultVerdicts(
      base: base?.source,
      changes: changes.compactMap { change in
        guard let value = change.metric.value, let before = change.base.value else { return nil }
        return ResultVerdicts.Change(
          metric: change.metric.name, slice: change.metric.slice, unit: change.metric.unit,
          value: value, base: before, difference: Response.Estimate(change.difference))
      }, gates: results.withheld(for: run.objection))
  }
}

extension StoredRun {
  /// Why what is measured of the run is probably wrong, as its record has it; nil where nothing is suspect.
  package var objection: String? {
    record.findings?.objection(accepting: "evaluate the run again with")
  }

  /// The same as a note, none or one.
  package var cautions: [String] { objection.map { ["\(name): \($0)"] } ?? [] }
}

extension Records.Measurement {
  fileprivate func isMeant(by gate: Gate) -> Bool { name == gate.metric && slice == gate.slice }
}
