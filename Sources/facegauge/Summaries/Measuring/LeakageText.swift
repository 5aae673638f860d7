import CommandSyntax
import Platform
import Records
import Reporting

/// What `leakage` prints.
enum LeakageText {
  /// How many slopes are listed.
  private static let shown = 12

  /// What was measured, the largest slopes on the head and on other coefficients, and the notes.
  static func text(_ leakage: Leakage, output: String?) -> String {
    let turned = leakage.turning.map {
      "\($0.angle) \($0.min.text(decimals: 0))° to \($0.max.text(decimals: 0))°"
    }
    var lines = [
      "\(leakage.source): \(leakage.faces.groupedText) faces, "
        + (leakage.clips > 0 ? "\(leakage.clips.groupedText) clips" : "no clips")
        + ", \(turned.joined(separator: ", "))"
    ]
    lines += table(
      "change per 10° of the head, all others held:", leakage.rankedTurns)
    lines += table("change per 1 of another coefficient, all others held:", leakage.rankedPairs)
    lines += leakage.notes.map { "note: \($0)" }
    if let output { lines.append("wrote \(output)") }
    return lines.printed
  }

  private static func table(_ title: String, _ ranked: [Leakage.Ranked]) -> [String] {
    let sure = ranked.filter { $0.slope.atLeast > 0 }
    guard !ranked.isEmpty else { return [] }
    let rows = (sure.isEmpty ? ranked : sure).prefix(shown).map {
      [$0.coefficient, $0.with, $0.slope.text]
    }
    return [title] + TextTable(rows: rows).lines.map { "  " + $0 }
      + [
        ranked.hasIntervals
          ? "  \(sure.count) of \(ranked.count) intervals exclude 0"
          : "  no slope has an interval: \(ranked[0].slope.reason ?? "none was asked for")"
      ]
  }
}
