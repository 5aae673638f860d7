import Foundation
import Records

/// The few lines that `sweep` prints.
enum SweepSummary {
  /// What is recommended, how sure that is, and what it took.
  static func text(_ record: Record, run: String) -> String {
    var lines = [
      "\(record.dataset.name): \(record.dataset.frames) frames, \(record.dataset.faces) labelled "
        + "faces"
    ]
    if let sweep = record.sweep {
      let cost = sweep.cost
      lines.append(
        "\(cost.settings) settings in \(cost.inferences.groupedText) inferences; full runs would have "
          + "taken \(cost.inferencesOfFullRuns.groupedText)")
      if let joining = cost.joining {
        lines.append(
          "joined \(joining.joins) regions, mean error "
            + "\(joining.meanError.map { $0.text() } ?? "–") of their width, largest "
            + "\(joining.largestError.map { $0.text() } ?? "–")")
      }
      for advice in sweep.advice { lines += self.lines(advice, of: sweep) }
    }
    lines += record.notes.map { "note: \($0)" }
    lines.append("report: \(run)/report.html")
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ advice: Sweep.Advice, of sweep: Sweep) -> [String] {
    if let reason = advice.reason { return ["\(advice.objective): none: \(reason)"] }
    var lines = ["\(advice.objective):"]
    let width = 2 + (advice.knobs.map(\.name.count).max() ?? 0)
    for knob in advice.knobs {
      lines.append(
        "  " + knob.name.padding(toLength: width, withPad: " ", startingAt: 0)
          + knob.value.plainText + range(knob.interval))
    }
    for figure in advice.figures where figure.name == advice.figure {
      let unit = sweep.figures.first { $0.name == figure.name }.map { $0.unit } ?? "1"
      lines.append(
        "  " + figure.name.padding(toLength: width, withPad: " ", startingAt: 0)
          + (figure.value.map { $0.text() } ?? "–") + (unit == "1" ? "" : " \(unit)")
          + range(figure.interval)
          + (figure.heldOutMean.map { ", held out \($0.text())" } ?? ""))
    }
    return lines + advice.warnings.map { "  warning: \($0)" }
  }

  private static func range(_ interval: Interval) -> String {
    guard let low = interval.low, let high = interval.high else { return "" }
    return " (\(low.shortText()) to \(high.shortText()))"
  }
}
