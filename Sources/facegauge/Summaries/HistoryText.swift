import CommandSyntax
import Foundation
import Platform
import Records

/// What `history` prints: first and last value of each line, its shifts, and the newest run.
struct HistoryText {
  let history: MetricHistory

  /// A line for each metric or stage, with its shifts below.
  var text: String {
    let isOfTimes = history.lines.contains { $0.slice != nil }
    let rows: [[String]] = history.lines.map { line in
      guard let first = line.values.lazy.compactMap({ $0 }).first else {
        return isOfTimes ? [line.label] : [line.label, "undefined in all runs"]
      }
      let last = line.values.last.flatMap { $0 }
      guard isOfTimes else {
        return [
          line.label, "first \(line.text(first))", "last \(last.map(line.text) ?? "undefined")",
        ]
      }
      let end = last.map { String(format: "%8.4f", $0) } ?? "undefined"
      return [line.label, String(format: "first %8.4f", first) + "  last " + end]
    }
    var lines = [
      "\(history.dataset): \(history.runs.count) \(history.runs.count == 1 ? "run" : "runs")"
        + (isOfTimes ? ", times of the reference kernel" : "")
    ]
    for (index, row) in TextTable(rows: rows).lines.enumerated() where rows[index].count > 1 {
      let line = history.lines[index]
      lines.append("  " + row + (line.newest?.isWorse == true ? "  worse" : ""))
      for shift in line.shifts {
        let change = shift.change.map { String(format: ", %+.1f %%", 100 * $0) } ?? ""
        let values =
          isOfTimes
          ? String(format: "%.4f to %.4f", shift.before, shift.after)
          : "\(line.text(shift.before)) to \(line.text(shift.after))"
        lines.append(
          "    shift at \(history.runs[shift.run].label): \(values)\(change), p "
            + String(format: "%.2g", shift.p))
      }
    }
    lines.append(history.sentence)
    lines += history.notes.map { "note: \($0)" }
    return lines.printed
  }
}
