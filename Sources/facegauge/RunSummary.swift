import Foundation
import Records
import Reporting

/// The few lines that `evaluate` prints about a run.
enum RunSummary {
  /// Figures, notes, verdicts and where the report is.
  static func text(_ record: Record, run: String) -> String {
    var lines = [
      "\(record.dataset.name): \(record.dataset.frames) frames, \(record.dataset.faces) labelled "
        + "faces"
    ]
    let headlines = Headlines.figures(of: record)
    let width = 2 + (headlines.map(\.title.count).max() ?? 0)
    for measurement in headlines {
      let title = measurement.title.padding(toLength: width, withPad: " ", startingAt: 0)
      if let value = measurement.value {
        let unit = measurement.unit == "1" ? "" : " \(measurement.unit)"
        lines.append("  \(title)\(String(format: "%.3f", value))\(unit)")
      } else {
        lines.append("  \(title)undefined: \(measurement.reason ?? "no reason")")
      }
    }
    lines += record.notes.map { "note: \($0)" }
    lines += record.gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
    lines.append("report: \(run)/report.html")
    return lines.joined(separator: "\n") + "\n"
  }
}
