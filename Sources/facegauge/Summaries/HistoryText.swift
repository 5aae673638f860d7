import CommandSyntax
import Foundation
import Records

/// What `history` prints: first, last and median of each stage, and the shifts.
struct HistoryText {
  private let history: TimingHistory

  init(_ history: TimingHistory) {
    self.history = history
  }

  /// A line for each stage, with its shifts below.
  var text: String {
    let width = history.lines.map { "\($0.stage) (\($0.slice))".count }.max() ?? 0
    var lines = ["\(history.dataset): \(history.runs.count) runs, times of the reference kernel"]
    for line in history.lines {
      let known = line.values.compactMap { $0 }
      guard let first = known.first, let last = known.last else { continue }
      let name = "\(line.stage) (\(line.slice))".padding(
        toLength: width, withPad: " ", startingAt: 0)
      lines.append("  \(name)" + String(format: "  first %8.4f  last %8.4f", first, last))
      for shift in line.shifts {
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
