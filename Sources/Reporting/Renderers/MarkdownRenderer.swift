internal import FaceCore
internal import Platform
import Records

/// Writes a report as GitHub's Markdown; charts become small tables, images become links.
struct MarkdownRenderer {
  /// The size that a comment on a pull request may have, in characters.
  private static let commentLimit = 65_000

  /// The whole page, ending in a newline: what decides first, the rest folded, cut to fit into a comment.
  func render(_ document: ReportDocument) -> String {
    var parts = ["# \(document.title.escapedForMarkdown)"]
    parts.append(document.facts.map(\.escapedForMarkdown).joined(separator: " · "))
    var length = parts.map(\.count).reduce(0, +)
    var left: [String] = []
    for section in document.sections {
      let text = self.text(section)
      guard length + text.count < Self.commentLimit || !section.isFolded else {
        left.append(section.title)
        continue
      }
      length += text.count + 2
      parts.append(text)
    }
    if !left.isEmpty {
      parts.append(
        "_Left out, to fit into a comment: \(left.joined(separator: ", ").escapedForMarkdown). "
          + "report.html shows all._")
    }
    let text = parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
    // Line breaks in names are gone here: those that are left are the page's own.
    return text.split(separator: "\n", omittingEmptySubsequences: false)
      .map { String($0).withControlCharactersEscaped }.joined(separator: "\n")
  }

  private func text(_ section: ReportDocument.Section) -> String {
    let notes = section.footnotes
    var parts = section.blocks.map { text($0, notes: notes) }
    let footnotes = notes.enumerated().map {
      "<sup>\($0.offset + 1)</sup> \($0.element.escapedForMarkdown)"
    }
    if !footnotes.isEmpty { parts.append(footnotes.joined(separator: "<br>\n")) }
    let content = parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    guard section.isFolded else { return "## \(section.title.escapedForMarkdown)\n\n\(content)" }
    let verdict = section.verdict.map { " \($0.symbol) \($0.rawValue)" } ?? ""
    return folded("<b>\(section.title.inSummary)</b>\(verdict)", content)
  }

  private func folded(_ title: String, _ content: String) -> String {
    "<details><summary>\(title)</summary>\n\n\(content)\n\n</details>"
  }

  private func text(_ decision: Decision) -> String {
    let answers = decision.answers.map { answer in
      let verdict = answer.verdict.map { " \($0.symbol)" } ?? ""
      return "- **\(answer.question.escapedForMarkdown)**\(verdict) "
        + answer.sentences.map(\.escapedForMarkdown).joined(separator: " ")
    }
    let figures = decision.figures.map { figure -> String in
      if case .slices = figure.chart { return text(figure) }
      return folded(figure.title.inSummary, text(figure))
    }
    let places = decision.places.map { [text($0, notes: [])] } ?? []
    return ([answers.joined(separator: "\n")] + places + figures).joined(separator: "\n\n")
  }

  func text(_ block: Block, notes: [String]) -> String {
    switch block {
    case .heading(let title): "### \(title.escapedForMarkdown)"
    case .paragraph(let text): text.escapedForMarkdown
    case .verdict(let verdict, let sentence):
      "**\(verdict.symbol) \(verdict.rawValue)**: \(sentence.escapedForMarkdown)"
    case .decision(let decision): text(decision)
    case .headline(let metrics): text(metrics)
    case .table(let table): text(table, notes: notes)
    case .figure(let figure): text(figure)
    case .gallery(let images): images.map(text).joined(separator: "\n\n")
    case .findings(let findings): findings.map(text).joined(separator: "\n\n")
    case .notes(let notes):
      notes.map { "> **Note:** \($0.escapedForMarkdown)" }.joined(separator: "\n>\n")
    case .code(let text): fenced(text)
    }
  }

  private func text(_ metrics: [HeadlineMetric]) -> String {
    rows(
      columns: [.words("Metric"), .numbers("Value"), .words("")],
      rows: metrics.map { metric in
        let value = metric.unit.isEmpty ? metric.value : "\(metric.value) \(metric.unit)"
        let verdict = metric.verdict.map { "\($0.symbol) \(metric.limit ?? "") · " } ?? ""
        return [
          metric.label.escapedForMarkdown, "**\(value.escapedForMarkdown)**",
          verdict + metric.detail.escapedForMarkdown,
        ]
      })
  }

  private func text(_ table: Table, notes: [String]) -> String {
    let cells = table.rows.map { row in
      row.map { cell -> String in
        let number = cell.note.flatMap { notes.firstIndex(of: $0) }.map { "<sup>\($0 + 1)</sup>" }
        return text(cell.content) + (number ?? "")
      }
    }
    var parts = [
      "**\(table.title.escapedForMarkdown)**", rows(columns: table.columns, rows: cells),
    ]
    if let remark = table.remark { parts.append("_\(remark.escapedForMarkdown)_") }
    return parts.joined(separator: "\n\n")
  }

  private func text(_ content: Table.Content) -> String {
    switch content {
    case .text(let text): text.escapedForMarkdown
    case .code(let text):
      text.contains { "`|\\".contains($0) || $0.isNewline } || text.isEmpty
        ? text.escapedForMarkdown : "`\(text)`"
    case .verdict(let verdict): "\(verdict.symbol) \(verdict.rawValue)"
    case .sparkline(let metrics): Sparkline.text(metrics)
    case .link(let text, let path): "[\(text.escapedForMarkdown)](\(path.escapedForPath))"
    }
  }

  private func text(_ figure: Figure) -> String {
    if case .stages = figure.chart { return "" }
    var parts = ["**\(figure.title.escapedForMarkdown)**"]
    if !figure.caption.isEmpty { parts.append("_\(figure.caption.escapedForMarkdown)_") }
    let chart = figure.chart.drawn
    for table in chart.tables(selecting: nil) where !table.rows.isEmpty {
      let cells = table.rows.map { row in row.map { text($0.content) } }
      parts.append(rows(columns: table.columns, rows: cells))
    }
    let marks = chart.markSentences + figure.limits.map(\.label)
    if !marks.isEmpty {
      parts.append(marks.map { "- \($0.escapedForMarkdown)" }.joined(separator: "\n"))
    }
    return parts.joined(separator: "\n\n")
  }

  private func text(_ image: Record.Image) -> String {
    let alternative = "\(image.frame): \(image.caption)".escapedForMarkdown
    return "![\(alternative)](images/\(image.file.escapedForLink))\\\n"
      + "`\(image.frame.replacingBackticks)`: \(image.caption.escapedForMarkdown)"
  }

  private func rows(columns: [Table.Column], rows: [[String]]) -> String {
    let head = columns.map(\.title.escapedForMarkdown)
    let rule = columns.map { $0.isNumeric ? "--:" : ":--" }
    return ([head, rule] + rows).map { "| " + $0.joined(separator: " | ") + " |" }
      .joined(separator: "\n")
  }

  private func fenced(_ text: String) -> String {
    let longest = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, longest + 1))
    return "\(fence)\n\(text)\n\(fence)"
  }
}

extension String {
  /// The text on one line, with Markdown's and HTML's special characters escaped.
  var escapedForMarkdown: String {
    var escaped = ""
    for character in self {
      switch character {
      case "\\", "`", "*", "_", "[", "]", "|", "#", "~": escaped += "\\\(character)"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "&": escaped += "&amp;"
      case _ where character.isNewline: escaped += " "
      default: escaped.append(character)
      }
    }
    return escaped
  }

  /// The text on one line for a title that unfolds a part, which is HTML: there a backslash would be seen.
  fileprivate var inSummary: String { escapedForXML(isAttribute: true) }

  /// A relative path whose parts are percent-encoded.
  var escapedForPath: String {
    split(separator: "/", omittingEmptySubsequences: false).map { String($0).escapedForLink }
      .joined(separator: "/")
  }

  /// The text with every byte percent-encoded that a Markdown link could misread.
  fileprivate var escapedForLink: String {
    utf8.reduce(into: "") { link, byte in
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
      if scalar.isASCII, isPlain || "-._~".unicodeScalars.contains(scalar) {
        link.unicodeScalars.append(scalar)
      } else {
        let digits = String(byte, radix: 16, uppercase: true)
        link += "%" + (digits.count < 2 ? "0" : "") + digits
      }
    }
  }

  fileprivate var replacingBackticks: String {
    String(map { $0 == "`" ? "'" : $0.isNewline ? " " : $0 })
  }
}

extension Verdict {
  /// One character that tells verdicts apart without colour.
  var symbol: String {
    switch self {
    case .pass: "✓"
    case .fail: "✗"
    case .inconclusive: "?"
    }
  }
}
