import CommandSyntax
import Records

/// The summary of a run that `profile` prints.
enum ProfileSummary {
  /// Metrics, notes, verdicts and where the report and the trace are.
  static func text(_ record: Record, run: String) -> String {
    let steady = record.profile?.steadyFrames ?? 0
    let schedule = record.profile?.schedule.rawValue ?? ""
    var lines = [
      "\(record.dataset.name): \(steady) steady frames, \(schedule) schedule, "
        + "BLAS kernels for \(record.host.blasCore)"
    ]
    let slices = Set(record.measurements.compactMap(\.slice))
    let totals = [MetricName.pipeline, MetricName.total].flatMap { stage in
      let names = ["p50", "p95", "p99"].map { MetricName.latency(stage, $0) }
      return record.measurements.filter { metric in
        names.contains(metric.name) && (metric.slice != nil) == !slices.isEmpty
      }
    }
    let others = record.measurements.filter { metric in
      metric.slice == nil && !metric.name.hasPrefix("latency.")
        && metric.name.split(separator: ".").count < (metric.stage == "startup" ? 4 : 3)
    }
    lines += RunSummary.rows((totals + others).map(\.named))
    lines += record.notes.map { "note: \($0)" }
    lines += record.gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
    lines += ["trace: \(run)/trace.json", "report: \(run)/report.html"]
    return lines.printed
  }
}

extension Records.Measurement {
  /// The same with its slice in the title.
  fileprivate var named: Self {
    var metric = self
    if let slice { metric.title += ", \(slice)" }
    return metric
  }
}
