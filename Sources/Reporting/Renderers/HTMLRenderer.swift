import FaceCore
import Foundation
internal import Platform
import Records

/// Writes a report as one page of HTML that is also well-formed XML and needs nothing else.
struct HTMLRenderer {
  /// The bytes of an image of the run, by file name; nil where it cannot be had.
  let images: (String) -> [UInt8]?
  /// What the frame explorer shows, as `FrameArchive` encodes it; nil for a page without it.
  let frames: [UInt8]?
  /// The same of the base run, for a page of two runs.
  var baseFrames: [UInt8]?
  /// The settings that sliders move between; nil for a page without them.
  let sweep: Sweep?
  /// What can be copied of these settings; nil for nothing.
  var code: SettingCode?
  /// Images of the frames with most errors at the settings.
  var thumbnails: [FrameThumbnail] = []

  /// The settings, where there are any.
  private var settings: SettingTable? {
    sweep.flatMap { $0.settings.isEmpty ? nil : SettingTable(sweep: $0, code: code) }
  }

  /// The whole page, ending in a newline.
  func render(_ document: ReportDocument) -> String {
    var html = XMLWriter()
    var data = PageData(sweep: settings?.data(images: thumbnails))
    html.markup("<!DOCTYPE html>\n")
    html.element("html", ["lang": "en"]) { html in
      html.element("head") { head(document, to: &$0) }
      html.markup("\n")
      html.element("body") { html in
        header(document, to: &html)
        html.element("p", ["id": "script-error", "class": "notes", "role": "alert"])
        html.element("main") { html in
          for (index, section) in document.sections.enumerated() {
            write(section, to: &html, data: &data)
            if index == 0 { widgets(to: &html) }
          }
        }
        html.markup("\n")
        guard PageScript.contentHash != nil else { return }
        html.element("div", ["id": "tip", "role": "status"])
        write(data, to: &html)
        html.element("script") { $0.markup(PageScript.text) }
      }
    }
    return html.output + "\n"
  }

  private func head(_ document: ReportDocument, to html: inout XMLWriter) {
    html.empty("meta", ["charset": "utf-8"])
    html.empty(
      "meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
    html.empty("meta", ["name": "color-scheme", "content": "light dark"])
    html.empty(
      "meta",
      [
        "http-equiv": "Content-Security-Policy",
        "content": "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src "
          + (PageScript.contentHash.map { "'\($0)'" } ?? "'none'"),
      ])
    html.element("title", text: document.title)
    html.element("style") { $0.markup(reportStyle) }
  }

  private func header(_ document: ReportDocument, to html: inout XMLWriter) {
    html.element("header") { html in
      html.element("h1", text: document.title)
      html.element("p", ["class": "facts"]) { html in
        for fact in document.facts {
          html.element("span", text: fact)
          html.text(" ")
        }
      }
    }
    html.markup("\n")
  }

  /// Where the script puts what only a script can show; hidden without it.
  private func widgets(to html: inout XMLWriter) {
    if let settings { widget("settings", "Compare settings", to: &html, settings.write) }
    guard frames != nil else { return }
    if baseFrames == nil { widget("threshold", "Raise the threshold", to: &html, threshold) }
    widget(
      "explorer", baseFrames == nil ? "Frames" : "Frames of both runs", to: &html, explorer)
  }

  private func widget(
    _ id: String, _ title: String, to html: inout XMLWriter,
    _ content: (inout XMLWriter) -> Void
  ) {
    html.element(
      "section", ["id": id, "class": "widget", "aria-labelledby": "\(id)-heading", "hidden": ""]
    ) { html in
      html.element("h2", ["id": "\(id)-heading"], text: title)
      html.element("div", ["class": "wide"], content)
    }
    html.markup("\n")
  }

  private func write(
    _ section: ReportDocument.Section, to html: inout XMLWriter, data: inout PageData
  ) {
    html.element("section", ["id": section.id, "aria-labelledby": "\(section.id)-heading"]) {
      html in
      if section.isFolded {
        html.element("details") { html in
          html.element("summary") { html in
            html.element("h2", ["id": "\(section.id)-heading"], text: section.title)
            if let verdict = section.verdict { badge(verdict, to: &html) }
          }
          html.element("div", ["class": "blocks", "id": "\(section.id)-content"]) { html in
            content(of: section, to: &html, data: &data)
          }
        }
      } else {
        html.element("h2", ["id": "\(section.id)-heading"], text: section.title)
        html.element("div", ["class": "blocks"]) { html in
          content(of: section, to: &html, data: &data)
        }
      }
    }
    html.markup("\n")
  }

  /// The blocks, then the footnotes of all tables, those that repeat once.
  private func content(
    of section: ReportDocument.Section, to html: inout XMLWriter, data: inout PageData
  ) {
    let notes = section.footnotes
    for (index, block) in section.blocks.enumerated() {
      html.markup("\n")
      write(
        block, id: "\(section.id)-\(index + 1)", notes: (section.id, notes), to: &html, data: &data)
    }
    guard !notes.isEmpty else { return }
    html.element("ol", ["class": "wide remark", "aria-label": "Footnotes"]) { html in
      for (index, note) in notes.enumerated() {
        html.element("li", ["id": "\(section.id)-note-\(index + 1)"], text: note)
      }
    }
  }

  private func write(
    _ block: Block, id: String, notes: (section: String, texts: [String]), to html: inout XMLWriter,
    data: inout PageData
  ) {
    switch block {
    case .heading(let title): html.element("h3", text: title)
    case .paragraph(let text): html.element("p", ["class": "wide"], text: text)
    case .verdict(let verdict, let sentence):
      html.element("p", ["class": "wide overall"]) { html in
        badge(verdict, to: &html)
        html.text(" \(sentence)")
      }
    case .decision(let decision): write(decision, id: id, to: &html, data: &data)
    case .headline(let metrics): write(metrics, to: &html)
    case .table(let table): write(table, id: id, notes: notes, to: &html)
    case .figure(let figure): write(figure, id: id, to: &html, data: &data)
    case .gallery(let images):
      html.element("div", ["class": "wide gallery"]) { html in
        for image in images { write(image, to: &html) }
      }
    case .findings(let findings):
      html.element("div", ["class": "wide findings"]) { html in
        for finding in findings { write(finding, to: &html) }
      }
    case .notes(let notes):
      html.element("ul", ["class": "wide notes", "aria-label": "Notes"]) { html in
        for note in notes { html.element("li", text: note) }
      }
    case .code(let text):
      html.element("pre", ["class": "wide", "tabindex": "0"]) { $0.element("code", text: text) }
    }
  }

  private func write(
    _ decision: Decision, id: String, to html: inout XMLWriter, data: inout PageData
  ) {
    html.element("div", ["class": "wide answers"]) { html in
      for answer in decision.answers {
        html.element("div") { html in
          html.element("h3") { html in
            html.text(answer.question)
            if let verdict = answer.verdict {
              html.text(" ")
              badge(verdict, to: &html)
            }
          }
          for (index, sentence) in answer.sentences.enumerated() {
            html.element("p", ["class": index == 0 ? "main" : nil], text: sentence)
          }
        }
      }
    }
    if let places = decision.places {
      write(places, id: "\(id)-places", notes: ("", []), to: &html)
    }
    guard !decision.figures.isEmpty else { return }
    html.element("div", ["class": "wide charts"]) { html in
      for (index, figure) in decision.figures.enumerated() {
        write(figure, id: "\(id)-\(index + 1)", to: &html, data: &data)
      }
    }
  }

  private func write(_ metrics: [HeadlineMetric], to html: inout XMLWriter) {
    html.element("dl", ["class": "wide headline"]) { html in
      for metric in metrics {
        html.element("div", ["class": metric.verdict?.rawValue]) { html in
          html.element("dt", text: metric.label)
          html.element("dd", ["class": "figure"]) { html in
            html.text(metric.value)
            if !metric.unit.isEmpty { html.element("small", text: " \(metric.unit)") }
          }
          html.element("dd", ["class": "detail"]) { html in
            if let verdict = metric.verdict, let limit = metric.limit {
              html.element("b", ["class": verdict.rawValue], text: "\(verdict.symbol) ")
              html.text(limit)
              html.empty("br")
            }
            html.text(metric.detail)
          }
        }
      }
    }
  }

  /// Writes a verdict as a word in its colour.
  func badge(_ verdict: Verdict, to html: inout XMLWriter) {
    html.element(
      "span", ["class": "badge \(verdict.rawValue)"], text: "\(verdict.symbol) \(verdict.rawValue)")
  }

  private func write(
    _ figure: Figure, id: String, to html: inout XMLWriter, data: inout PageData
  ) {
    let chart = figure.chart.drawn
    data.charts[id] = PageData.ChartData(figure)
    html.element("figure", ["data-chart": data.charts[id] == nil ? nil : id]) { html in
      html.element("figcaption") { html in
        html.element("strong", text: figure.title)
        if !figure.caption.isEmpty { html.element("span", text: " \(figure.caption)") }
      }
      html.markup(chart.svg(id: id, in: figure))
      let tables = chart.tables(selecting: figure.axis).filter { !$0.rows.isEmpty }
      guard !tables.isEmpty else { return }
      html.element("details", ["class": "values"]) { html in
        html.element("summary", text: "Values")
        for (index, table) in tables.enumerated() {
          let table = Table(title: figure.title, columns: table.columns, rows: table.rows)
          write(table, id: "\(id)-values-\(index + 1)", notes: ("", []), to: &html)
        }
        for sentence in chart.markSentences + figure.limits.map(\.label) {
          html.element("p", ["class": "remark"], text: sentence)
        }
      }
    }
  }

  func write(_ image: Record.Image, to html: inout XMLWriter) {
    html.element("figure", ["data-frame": image.frame]) { html in
      if let source = dataURI(image.file) {
        html.empty(
          "img",
          [
            "src": source, "alt": "\(image.frame): \(image.caption)",
            "width": "\(max(1, image.width))", "height": "\(max(1, image.height))",
          ])
      } else {
        html.element("p", ["class": "absent"], text: "image \(image.file) is not in the run")
      }
      html.element("figcaption") { html in
        html.element("strong", text: image.frame)
        html.text(" \(image.caption)")
      }
    }
  }

  private func dataURI(_ file: String) -> String? {
    guard let bytes = images(file) else { return nil }
    let types: [(magic: [UInt8], type: String)] = [
      ([0xFF, 0xD8, 0xFF], "image/jpeg"), ([0x89, 0x50, 0x4E, 0x47], "image/png"),
    ]
    guard let type = types.first(where: { bytes.starts(with: $0.magic) })?.type else { return nil }
    return "data:\(type);base64,\(Data(bytes).base64EncodedString())"
  }

  /// What the script reads: compressed, in base64, so that no text of a record can end the element.
  private func write(_ data: PageData, to html: inout XMLWriter) {
    for (id, bytes) in [
      ("page-data", data.json), ("frame-data", frames), ("base-data", baseFrames),
    ] {
      guard let bytes, let packed = try? Deflate.compressed(bytes) else { continue }
      html.element("script", ["type": "text/plain", "id": id]) {
        $0.markup(Data(packed).base64EncodedString())
      }
      html.markup("\n")
    }
  }
}
