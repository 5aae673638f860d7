internal import Platform
import Records

extension ReportSection {
  /// The headline metrics, each with its interval and its gates.
  package static let headlines = ReportSection(
    id: "headlines", title: "Headline metrics", claims: { _ in false },
    blocks: { record in
      let metrics = headlineMetrics(record)
      return metrics.isEmpty ? [] : [.headline(metrics)]
    })
}

private func headlineMetrics(_ record: Record) -> [HeadlineMetric] {
  let known = record.headlineMeasurements
  let shown = known.isEmpty ? record.measurements.filter { $0.slice == nil }.prefix(6) : known[...]
  return shown.map { headlineMetric($0, gates: record.gates) }
}

private func headlineMetric(_ measurement: Measurement, gates: [GateResult]) -> HeadlineMetric {
  let results = gates.filter { $0.gate.metric == measurement.name && $0.gate.slice == nil }
  let limits = results.map { $0.gate.condition() }
  let suffix = Measurement.unitSuffix(measurement.unit)
  let isUnitShown = measurement.unit != "1" && measurement.value?.isFinite == true
  return HeadlineMetric(
    label: measurement.title,
    value: isUnitShown && measurement.valueText.hasSuffix(suffix)
      ? String(measurement.valueText.dropLast(suffix.count)) : measurement.valueText,
    unit: isUnitShown && !measurement.unit.hasPrefix("1/") ? String(suffix.dropFirst()) : "",
    detail: measurement.reason
      ?? "\(measurement.intervalNote), n = \(measurement.n.groupedText)",
    limit: limits.isEmpty ? nil : limits.joined(separator: ", "),
    verdict: results.isEmpty ? nil : Verdict.overall(results))
}
