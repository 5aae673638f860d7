internal import Platform
import Records

extension ReportSection {
  /// The verdict, the decision and what must be known to trust them.
  package static let summary = ReportSection(
    id: "summary", title: "Summary", claims: { _ in false },
    blocks: { record in
      var blocks: [Block] = []
      if !record.gates.isEmpty {
        blocks.append(.verdict(Verdict.overall(record.gates), verdictSentence(record.gates)))
      }
      if let findings = record.findings, !findings.isEmpty { blocks.append(.findings(findings)) }
      if !record.measurements.isEmpty || record.sweep != nil {
        blocks.append(.decision(Decision(record)))
      }
      if !record.notes.isEmpty { blocks.append(.notes(record.notes)) }
      return blocks
    })
}

private func verdictSentence(_ results: [GateResult]) -> String {
  func count(_ verdict: Verdict) -> Int { results.count { $0.verdict == verdict } }
  var parts = ["\(count(.pass)) of \(counted(results.count, "gate")) passed"]
  if count(.fail) > 0 { parts.append("\(count(.fail)) failed") }
  if count(.inconclusive) > 0 { parts.append("\(count(.inconclusive)) inconclusive") }
  return parts.joined(separator: ", ")
}
