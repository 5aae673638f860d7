import CommandSyntax
import Foundation
import Records

/// The few lines that `profile` prints about a run.
enum ProfileSummary {
  /// Figures, notes, verdicts and where the report and the trace are.
  static func text(_ record: Record, run: String) -> String {
    let steady = record.profile?.steadyFrames ?? 0
    var lines = [
      "\(record.dataset.name): \(steady) steady frames, \(record.profile?.schedule ?? "") schedule, "
        + "\(record.host.blasCore) kernels of BLAS"
    ]
    let slices = Set(record.measurements.compactMap(\.slice))
    let totals = record.measurements.filter { figure in
      ["p50", "p95", "p99"].contains { figure.name == "latency.total.\($0)" }
        && (slices.isEmpty ? figure.slice == nil : figure.slice != nil)
    }
    let others = record.measurements.filter { figure in
      figure.slice == nil && !figure.name.hasPrefix("latency.")
        && figure.name.split(separator: ".").count < (figure.stage == "startup" ? 4 : 3)
    }
    lines += RunSummary.rows((totals + others).map(\.named))
    lines += record.notes.map { "note: \($0)" }
    lines += record.gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
    lines += ["trace: \(run)/trace.json", "report: \(run)/report.html"]
    return lines.map { $0.withoutControlCharacters + "\n" }.joined()
  }
}

extension Records.Measurement {
  /// The same with its slice in the title.
  fileprivate var named: Self {
    var figure = self
    if let slice { figure.title += ", \(slice)" }
    return figure
  }
}
