import CommandSyntax
import Platform
import Records

/// The summary that `sweep` prints.
enum SweepSummary {
  /// The recommendation, its uncertainty and its cost.
  static func text(_ record: Record, run: String) -> String {
    var lines = [
      "\(record.dataset.name): \(record.dataset.frames) frames, \(record.dataset.faces) labelled "
        + "faces"
    ]
    lines += RunSummary.findings(record.findings ?? [])
    if let sweep = record.sweep {
      let cost = sweep.cost
      lines.append(
        cost.inferencesOfFullRuns == 0
          ? "\(cost.settings) settings on stored faces; no model ran"
          : "\(cost.settings) settings in \(cost.inferences.groupedText) inferences; full runs need "
            + "\(cost.inferencesOfFullRuns.groupedText)")
      for advice in sweep.advice { lines += self.lines(advice, of: sweep) }
    }
    lines += record.notes.map { "note: \($0)" }
    lines.append("report: \(run)/report.html")
    return lines.printed
  }

  private static func lines(_ advice: Sweep.Advice, of sweep: Sweep) -> [String] {
    if let reason = advice.reason { return ["\(advice.objective): none: \(reason)"] }
    var lines = ["\(advice.objective):"]
    if let verdict = sweep.verdict(of: advice) { lines.append("  verdict: \(verdict.text)") }
    lines.append("  best on this data:")
    var rows: [[String]] = []
    for (index, parameter) in advice.parameters.enumerated() {
      let hasNoEffect = sweep.isEffective(index, for: advice) == false
      rows.append([
        parameter.name,
        parameter.value.plainText + (hasNoEffect ? " (no effect)" : range(parameter.interval)),
      ])
    }
    for metric in advice.metrics where metric.name == advice.metric {
      let unit = sweep.metrics.first { $0.name == metric.name }.map { $0.unit } ?? "1"
      rows.append([
        metric.name,
        (metric.value.map { $0.text() } ?? "–") + (unit == "1" ? "" : " \(unit)")
          + range(metric.interval)
          + (metric.heldOutMean.map { ", held out \($0.text())" } ?? ""),
      ])
    }
    lines += TextTable(rows: rows).lines.map { "  " + $0 }
    if let evidence = advice.limits, advice.hasConfidence, let plain = evidence.plainSetting {
      let values = zip(sweep.parameters, sweep.settings[plain]).map {
        "\($0.name) \($1.plainText)"
      }
      lines.append(
        "  on this data alone: \(values.joined(separator: ", ")), \(advice.metric) "
          + (evidence.plainValue.map { $0.text() } ?? "–")
          + (evidence.brokenShare.map {
            "; a setting chosen this way breaks a limit in \(($0 * 100).shortText()) % of resamples"
          } ?? ""))
    }
    return lines + advice.warnings.map { "  warning: \($0)" }
  }

  private static func range(_ interval: Interval) -> String {
    interval.text { $0.shortText() }.map { " (\($0))" } ?? ""
  }
}
