import CommandSyntax
import Foundation
import Platform
import Records
import Reporting

/// The summary of a run that `evaluate` prints.
enum RunSummary {
  /// Metrics, notes, verdicts and where the report is.
  static func text(_ record: Record, run: String) -> String {
    var lines = [
      "\(record.dataset.name): \(record.dataset.frames) frames, \(record.dataset.faces) labelled "
        + "faces"
    ]
    lines += rows(record.headlineMeasurements)
    lines += record.notes.map { "note: \($0)" }
    lines += record.gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
    lines.append("report: \(run)/report.html")
    return lines.map { $0.withoutControlCharacters + "\n" }.joined()
  }

  /// A line for each metric: its title, and its value or why there is none.
  static func rows(_ measurements: [Records.Measurement]) -> [String] {
    let rows: [[String]] = measurements.map { measurement in
      guard let value = measurement.value else {
        return [measurement.title, "undefined: \(measurement.reason ?? "no reason")"]
      }
      let unit = measurement.unit == "1" ? "" : " \(measurement.unit)"
      let interval = measurement.intervalText.map { " (\($0))" } ?? " (no interval)"
      return [measurement.title, "\(String(format: "%.3f", value))\(unit)\(interval)"]
    }
    return TextTable(rows: rows).lines.map { "  " + $0 }
  }
}
