internal import FaceCore
internal import Platform
import Records

extension Finding {
  /// What it is in a word.
  var word: String {
    severity == .note ? "note" : isAccepted ? "suspect, accepted" : "suspect"
  }

  /// The frames to look at, without those that are shown; nil for none.
  var frameNames: String? {
    let shown = Set((images ?? []).map(\.frame))
    let names = frames.filter { !shown.contains($0.name) }.map { "\($0.index) \($0.name)" }
    return names.isEmpty ? nil : names.joined(separator: ", ")
  }
}

extension HTMLRenderer {
  /// One finding: what was found, what to do, how much it would change, and frames.
  func write(_ finding: Finding, to html: inout XMLWriter) {
    html.element("div", ["class": finding.isOpen ? "finding suspect" : "finding"]) { html in
      html.element("p") { html in
        html.element(
          "span", ["class": finding.isOpen ? "badge fail" : "badge inconclusive"],
          text: (finding.isOpen ? "⚠ " : "") + finding.word)
        html.text(" ")
        html.element("strong", text: finding.summary)
        if let run = finding.run { html.text(" (\(run))") }
      }
      if let remedy = finding.remedy { html.element("p", text: remedy) }
      html.element("p", ["class": "detail"]) { html in
        html.element("code", text: finding.name)
        html.text(" · \(finding.evidence)")
        if let names = finding.frameNames { html.text(" · frames \(names)") }
      }
      if let images = finding.images {
        html.element("div", ["class": "gallery"]) { html in
          for image in images { write(image, to: &html) }
        }
      }
    }
  }
}

extension MarkdownRenderer {
  /// One finding as a quoted paragraph.
  func text(_ finding: Finding) -> String {
    let run = finding.run.map { " (\($0))" } ?? ""
    var lines = [
      "> **\(finding.isOpen ? "⚠" : "ⓘ") \(finding.word):** \((finding.summary + run).escapedForMarkdown)"
    ]
    if let remedy = finding.remedy { lines.append("> \(remedy.escapedForMarkdown)") }
    let frames = finding.frameNames.map { " · frames \($0)" } ?? ""
    lines.append(
      "> `\(finding.name)` · \((finding.evidence + frames).escapedForMarkdown)")
    return lines.joined(separator: "  \n")
      + (finding.images.map { "\n\n" + text(.gallery($0), notes: []) } ?? "")
  }
}
