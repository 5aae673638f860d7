import CommandSyntax
import Foundation
import Platform
import Records
import Reporting

/// The summary of a run that `evaluate` prints.
enum RunSummary {
  /// Findings, metrics, notes, verdicts and where the report is.
  static func text(_ record: Record, run: String) -> String {
    var lines = [
      "\(record.dataset.name): \(record.dataset.frames) frames, \(record.dataset.faces) labelled "
        + "faces"
    ]
    lines += findings(record.findings ?? [])
    lines += rows(record.headlineMeasurements)
    lines += WorstPlaces(record).lines
    lines += record.notes.map { "note: \($0)" }
    lines += record.gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
    lines.append("report: \(run)/report.html")
    return lines.printed
  }

  /// Each finding in three lines: what was found, what to do, and what it rests on.
  static func findings(_ findings: [Finding]) -> [String] {
    findings.flatMap { finding -> [String] in
      let run = finding.run.map { " (\($0))" } ?? ""
      let accepted = finding.isAccepted ? ", accepted" : ""
      let frames = finding.frames.map(\.name)
      return [
        "\(finding.severity.rawValue)\(accepted): \(finding.summary)\(run)",
        finding.remedy.map { "  \($0)" },
        "  \(finding.name); \(finding.evidence)"
          + (frames.isEmpty ? "" : "; frames \(frames.joined(separator: ", "))"),
      ].compactMap(\.self)
    }
  }

  /// A line for each metric: its title, and its value or why there is none.
  static func rows(_ measurements: [Records.Measurement]) -> [String] {
    let rows: [[String]] = measurements.map { measurement in
      guard let value = measurement.value else {
        return [measurement.title, "undefined: \(measurement.reason ?? "no reason")"]
      }
      let unit = measurement.unit == "1" ? "" : " \(measurement.unit)"
      return [
        measurement.title, "\(String(format: "%.3f", value))\(unit) (\(measurement.intervalNote))",
      ]
    }
    return TextTable(rows: rows).lines.map { "  " + $0 }
  }
}
