internal import Platform
import Records

extension ReportSection {
  /// The verdict, the headline metrics and what must be known to trust them.
  package static let summary = ReportSection(
    id: "summary", title: "Summary", claims: { _ in false },
    blocks: { record in
      var blocks: [Block] = []
      if !record.gates.isEmpty {
        blocks.append(.verdict(Verdict.overall(record.gates), verdictSentence(record.gates)))
      }
      let metrics = headlineMetrics(record)
      if !metrics.isEmpty { blocks.append(.headline(metrics)) }
      if !record.notes.isEmpty { blocks.append(.notes(record.notes)) }
      return blocks
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
      ?? "\(measurement.intervalText ?? "no interval"), n = \(measurement.n.groupedText)",
    limit: limits.isEmpty ? nil : limits.joined(separator: ", "),
    verdict: results.isEmpty ? nil : Verdict.overall(results))
}

private func verdictSentence(_ results: [GateResult]) -> String {
  func count(_ verdict: Verdict) -> Int { results.count { $0.verdict == verdict } }
  var parts = ["\(count(.pass)) of \(counted(results.count, "gate")) passed"]
  if count(.fail) > 0 { parts.append("\(count(.fail)) failed") }
  if count(.inconclusive) > 0 { parts.append("\(count(.inconclusive)) inconclusive") }
  return parts.joined(separator: ", ")
}
