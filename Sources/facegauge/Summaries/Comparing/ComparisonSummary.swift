import CommandSyntax
import Foundation
import Platform
import Records
import Reporting

/// The summary that `compare` prints.
enum ComparisonSummary {
  /// The evaluated metrics with difference, interval and outcome, notes, and where the report is.
  static func text(_ comparison: Comparison, output: String?) -> String {
    let evaluated = comparison.differences.filter { $0.outcome != nil }
    let header = [
      "metric", comparison.base.name, comparison.candidate.name, "difference", "95 % interval",
    ]
    let rows: [[String]] = evaluated.map { one in
      [
        one.slice.map { "\(one.name) (\($0))" } ?? one.name, value(one.base, one.unit),
        value(one.candidate, one.unit),
        one.difference.map { ($0 > 0 ? "+" : "") + number($0) } ?? "–",
        one.interval.text(number) ?? "–", one.outcome?.rawValue ?? "",
      ]
    }
    var lines = RunSummary.findings(comparison.findings ?? [])
    lines += ["\(ComparisonReport(comparison: comparison).sentence)"]
    if !evaluated.isEmpty {
      let table = TextTable([.left, .right, .right, .right, .right, .left], rows: [header] + rows)
      lines += table.lines.map { "  " + $0 }
    }
    lines += comparison.notes.map { "note: \($0)" }
    lines += comparison.gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
    if let output { lines.append("report: \(output)/report.html") }
    return lines.printed
  }

  /// A value with its unit, of four decimals or as many as show it; a dash for none.
  static func value(_ value: Double?, _ unit: String) -> String {
    value.map { number($0) + Records.Measurement.unitSuffix(unit) } ?? "–"
  }

  /// Four decimals, or more where these would show a small difference as 0.
  private static func number(_ value: Double) -> String {
    let text = String(format: "%.4f", value)
    return value != 0 && Double(text) == 0 ? value.text(significantDigits: 2) : text
  }
}
