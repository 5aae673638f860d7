import CommandSyntax
import Foundation
import Platform
import Records

/// What `history` prints: first, last and median of each stage, and the shifts.
struct HistoryText {
  private let history: TimingHistory

  init(_ history: TimingHistory) {
    self.history = history
  }

  /// A line for each stage, with its shifts below.
  var text: String {
    let rows: [[String]] = history.lines.map { line in
      let name = "\(line.stage) (\(line.slice.rawValue))"
      let known = line.values.compactMap { $0 }
      guard let first = known.first, let last = known.last else { return [name] }
      return [name, String(format: "first %8.4f  last %8.4f", first, last)]
    }
    var lines = ["\(history.dataset): \(history.runs.count) runs, times of the reference kernel"]
    for (index, row) in TextTable(rows: rows).lines.enumerated() where rows[index].count > 1 {
      lines.append("  " + row)
      for shift in history.lines[index].shifts {
        lines.append(
          "    shift at \(history.runs[shift.run].label): "
            + String(
              format: "%.4f to %.4f, %+.1f %%, p %.2g", shift.before, shift.after,
              100 * shift.change, shift.p))
      }
    }
    lines += history.notes.map { "note: \($0)" }
    return lines.map { $0.withoutControlCharacters + "\n" }.joined()
  }
}
