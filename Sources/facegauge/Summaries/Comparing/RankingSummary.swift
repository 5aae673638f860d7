import CommandSyntax
import Foundation
import Platform
import Records
import Reporting

/// The summary that `compare` prints of three or more runs.
enum RankingSummary {
  /// The tested metrics with values, possible ranks and how often each run is best, then the agreement.
  static func text(_ ranking: Ranking, output: String?) -> String {
    let names = ranking.runs.map(\.name)
    var lines = RunSummary.findings(ranking.findings ?? [])
    lines += RankingReport(ranking: ranking).sentences
    var rows = [["metric", "run", "value", "ranks", "best in"]]
    for metric in ranking.tested {
      for (run, entry) in metric.entries.enumerated() {
        let ranks = entry.ranks.map { $0[0] == $0[1] ? "\($0[0])" : "\($0[0]) to \($0[1])" }
        rows.append([
          run == 0 ? metric.name : "", names[run],
          ComparisonSummary.value(entry.value, metric.unit), ranks ?? "–",
          entry.rankShares.map { String(format: "%.1f %%", 100 * $0[0]) } ?? "–",
        ])
      }
    }
    if rows.count > 1 {
      lines += TextTable([.left, .left, .right, .right, .right], rows: rows).lines.map { "  " + $0 }
    }
    lines += agreement(ranking, names)
    lines += ranking.notes.map { "note: \($0)" }
    if let output { lines.append("report: \(output)/report.html") }
    return lines.printed
  }

  private static func agreement(_ ranking: Ranking, _ names: [String]) -> [String] {
    let agreement = ranking.agreement
    guard agreement.frames > 0 else { return [] }
    var rows = [["runs", "same faces", "points apart", "coefficients apart"]]
    for pair in agreement.pairs {
      rows.append(
        ["\(names[pair.first]), \(names[pair.second])"]
          + [pair.faces, pair.points, pair.coefficients].map { estimate in
            estimate.value.map { String(format: "%.4f", $0) } ?? "–"
          })
    }
    let alone = zip(names, agreement.runs).map { name, run in
      "\(name) \(run.alone.value.map { "\((100 * $0).text(decimals: 1)) %" } ?? "–")"
    }
    return ["agreement without labels, in \(agreement.frames) frames:"]
      + TextTable([.left, .right, .right, .right], rows: rows).lines.map { "  " + $0 }
      + ["  frames in which only its faces differ: \(alone.joined(separator: ", "))"]
  }
}
