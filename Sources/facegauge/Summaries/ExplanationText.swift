import FaceCore
import Platform
import Records
import Reporting

/// The text that `explain` prints.
struct ExplanationText {
  let explanation: Explanation

  /// The answers, a table for each detector, and the notes.
  var lines: [String] {
    var lines = [
      "\(explanation.source), \(explanation.size.width)x\(explanation.size.height)"
    ]
    lines += explanation.sentences
    for result in explanation.detectors {
      lines += ["", "candidates of the \(result.detector) detector that no better one suppresses:"]
      lines += table(of: result)
    }
    if !explanation.notes.isEmpty { lines += [""] + explanation.notes.map { "note: \($0)" } }
    return lines
  }

  private func table(of result: Explanation.DetectorResult) -> [String] {
    let shown = result.candidates.filter { $0.look != nil }
    guard !shown.isEmpty else {
      return ["  none has a score of \(Explanation.candidateFloor) or more"]
    }
    let words = ExplanationWords(explanation.settings, result)
    let rows = shown.map { candidate -> [String] in
      [
        "\(candidate.number)", candidate.score.text(), candidate.box.rowText,
        candidate.look?.box.rowText ?? "–", candidate.look?.presence?.text() ?? "–",
        words.sentence(of: candidate),
      ]
    }
    let header = ["no.", "score", "box", "after suppression", "presence", "what decided"]
    let left = result.candidates.count { $0.suppressor == nil } - shown.count
    let suppressed = result.candidates.count { $0.suppressor != nil }
    let rest = [
      left > 0 ? "\(left) with lower scores" : nil,
      suppressed > 0 ? "\(suppressed) that better ones suppress" : nil,
    ].compactMap(\.self)
    return TextTable([.right, .right, .left], rows: [header] + rows).lines.map { "  " + $0 }
      + (rest.isEmpty
        ? []
        : [
          "  and \(rest.joined(separator: ", ")), of a score of \(Explanation.candidateFloor) or "
            + "more (--json and -o show all)"
        ])
  }
}
