import CommandSyntax
import Datasets
import Reporting

/// A checklist as lines of text or as a document.
struct Checklist {
  let result: DatasetValidation
  let file: String

  private var verdict: String { result.hasErrors ? "not well-formed" : "well-formed" }
  private var counts: String { "\(result.frames) frames, \(result.faces) faces" }

  /// A line for each check, examples below it, and the outcome at the end.
  var text: String {
    let lines = result.checks.map { check in
      switch check.outcome {
      case .ok: "ok: \(check.holds)\n"
      case .notChecked: "not checked: \(check.holds) (no \(check.lacks ?? "data"))\n"
      default:
        "\(check.outcome.rawValue): \(check.count) x \(check.what)\n"
          + check.examples.map { "  \($0.withoutControlCharacters)\n" }.joined()
      }
    }
    return lines.joined() + "\(file.withoutControlCharacters): \(counts), \(verdict)\n"
  }

  /// One table with a row for each check, worst first.
  var document: ReportDocument {
    let order: [ChecklistLine.Outcome] = [.error, .warning, .note, .ok, .notChecked]
    let rows = order.flatMap { outcome in
      result.checks.filter { $0.outcome == outcome }.map { check -> [Table.Cell] in
        let isFound = check.count > 0
        return [
          .text(outcome.rawValue), .text(isFound ? check.what : check.holds),
          .text(isFound ? "\(check.count)" : ""),
          .text(
            isFound
              ? check.examples.joined(separator: "; ")
              : check.lacks.map { "no \($0)" } ?? ""),
        ]
      }
    }
    let table = Table(
      title: "\(result.checks.count) checks",
      columns: [.words("Outcome"), .words("Check"), .numbers("Count"), .words("Examples")],
      rows: rows, isWide: true)
    return ReportDocument(
      title: "FaceGauge checklist: \(file)", facts: [counts, verdict],
      sections: [.init(id: "checklist", title: "Checklist", blocks: [.table(table)])])
  }
}
