import CommandSyntax
import Foundation
import Platform
import Records
import Reporting
import Timing

/// The verdicts that `track --gates` prints: how much longer the second tracker takes than the first.
struct TimingSummary {
  let outcome: ABTiming.Outcome
  let results: [GateResult]

  private struct Document: Encodable {
    var base, candidate: String
    var pairs, starts: Int
    var gates: [GateResult]
    var stages: Series.Table
    var notes: [String]
    var verdict: Verdict
    var trackers: [TrackingSummary.Line]?
  }

  private var heading: String {
    "\(outcome.candidate) against \(outcome.base): \(outcome.pairs) pairs of frames, "
      + "\(outcome.starts) starts"
  }

  /// The table of stages, notes and a line for each gate.
  var text: String {
    let table = TextTable(
      [.left, .right], rows: [outcome.table.columns] + outcome.table.rows)
    let lines =
      [heading] + table.lines.map { "  " + $0 } + outcome.notes.map { "note: \($0)" }
      + results.map { "gate \($0.verdict.rawValue): \($0.message)" }
    return lines.printed
  }

  /// The same for the summary page of a CI job.
  var markdown: String {
    ReportDocument(
      title: "FaceGauge timing", facts: [heading],
      sections: [
        ReportDocument.Section(
          id: "timing", title: "Latency",
          blocks: [
            .verdict(Verdict.overall(results), results.map(\.message).joined(separator: " ")),
            .table(
              Table(
                title: "Time of each stage, frame by frame",
                columns: outcome.table.columns.map { .words($0) },
                rows: outcome.table.rows.map { $0.map { .text($0) } }, isWide: true)),
          ] + (outcome.notes.isEmpty ? [] : [.notes(outcome.notes)]))
      ]
    ).markdown()
  }

  /// The same as JSON, with what was tracked before if anything was.
  func json(_ trackers: TrackingSummary?) throws -> String {
    try JSONEncoder.document.text(
      of: Document(
        base: outcome.base, candidate: outcome.candidate, pairs: outcome.pairs,
        starts: outcome.starts, gates: results, stages: outcome.table, notes: outcome.notes,
        verdict: Verdict.overall(results), trackers: trackers?.lines))
  }
}
