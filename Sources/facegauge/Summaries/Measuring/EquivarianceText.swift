import CommandSyntax
import Platform
import Records
import Reporting

/// What `equivariance` prints.
enum EquivarianceText {
  /// How many coefficients are listed of each transformation.
  private static let shown = 3

  /// A line for each transformation, the coefficients that surely change, and the notes.
  static func text(_ result: Equivariance, output: String?) -> String {
    let none = EquivarianceReport(result).missingIntervals == nil ? "none surely" : "–"
    var rows = [
      [
        "transformation", "faces", "lost", "gained", "distance of points",
        "coefficients that change",
      ]
    ]
    rows += result.transformations.map { one in
      let channels = one.biased.prefix(shown).map {
        "\($0.coefficient) \($0.difference.value.map { $0.text(decimals: 3) } ?? "–")"
      }
      let rest = one.biased.count - channels.count
      let words = channels + (rest > 0 ? ["\(rest) more"] : [])
      return [
        one.name, one.faces.groupedText, one.lost.groupedText, one.gained.groupedText,
        one.distance.value.map { $0.text(decimals: 4) } ?? "–",
        words.isEmpty ? none : words.joined(separator: ", "),
      ]
    }
    var lines = [result.source, EquivarianceReport(result).sentence]
    lines += TextTable(rows: rows).lines.map { "  " + $0 }
    lines += result.verdicts?.lines ?? []
    lines += result.notes.map { "note: \($0)" }
    if let output { lines.append("wrote \(output)") }
    return lines.printed
  }
}
