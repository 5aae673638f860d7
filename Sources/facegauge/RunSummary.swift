import Foundation
import Records

/// The few lines that `evaluate` prints about a run.
enum RunSummary {
  private static let headlines = [
    ("detection.ap", "AP .50:.95"),
    ("detection.ap50", "AP .50"),
    ("detection.recall@score", "recall"),
    ("detection.precision@score", "precision"),
    ("detection.fp_per_image@score", "false positives a picture"),
    ("latency.total.p50", "latency p50"),
    ("latency.total.p99", "latency p99"),
  ]

  /// Figures, notes, verdicts and where the report is.
  static func text(_ record: Record, run: String) -> String {
    var lines = [
      "\(record.dataset.name): \(record.dataset.frames) frames, \(record.dataset.faces) labelled "
        + "faces"
    ]
    for (name, title) in headlines {
      guard let measurement = record.measurement(name) else { continue }
      let padded = title.padding(toLength: 28, withPad: " ", startingAt: 0)
      if let value = measurement.value {
        let unit = measurement.unit == "ms" ? " ms" : ""
        lines.append("  \(padded)\(String(format: "%.3f", value))\(unit)")
      } else {
        lines.append("  \(padded)undefined: \(measurement.reason ?? "no reason")")
      }
    }
    lines += record.notes.map { "note: \($0)" }
    lines += record.gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
    lines.append("report: \(run)/report.html")
    return lines.joined(separator: "\n") + "\n"
  }
}
