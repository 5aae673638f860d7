import CommandSyntax
import Platform
import Records
import Reporting

/// What `response` prints.
enum ResponseText {
  /// What was measured, a line for each coefficient, the largest gain first, and the notes.
  static func text(_ response: Response, output: String?) -> String {
    let delays = response.channels.contains { $0.clips > 0 }
    var rows = [
      ["coefficient", "gain", "at 0", "rank", "other that moves most"]
        + (delays ? ["delay, frames"] : [])
    ]
    rows += response.ranked.map { channel in
      let other = channel.other.map { "\($0.coefficient) \($0.slope.text(decimals: 3))" } ?? "–"
      let offset = channel.offset.value.map { $0.text(decimals: 3) } ?? "–"
      let row = [
        channel.coefficient, channel.gain.text, offset, "\(channel.ownRank)", other,
      ]
      return row + (delays ? [channel.delayFrames.value.map { $0.text(decimals: 2) } ?? "–"] : [])
    }
    var lines = [
      "\(response.source): \(response.faces.groupedText) faces, \(response.units.groupedText) "
        + response.resampled,
      ResponseReport(response).sentence,
    ]
    lines += TextTable(rows: rows).lines.map { "  " + $0 }
    if !response.leftOut.isEmpty {
      lines.append(
        "no numbers for "
          + response.leftOut.map { "\($0.coefficient) (\($0.reason))" }.joined(separator: ", "))
    }
    lines += response.verdicts?.lines ?? []
    lines += response.notes.map { "note: \($0)" }
    if let output { lines.append("wrote \(output)") }
    return lines.printed
  }
}

extension ResultVerdicts {
  /// How it differs from the base, and a line for each gate.
  var lines: [String] {
    [sentence].filter { !$0.isEmpty } + gates.map { "gate \($0.verdict.rawValue): \($0.message)" }
  }
}
