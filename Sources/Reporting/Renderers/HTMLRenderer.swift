import Foundation
import Records

/// Writes a report as one page of HTML that is also well-formed XML and needs nothing else.
struct HTMLRenderer {
  /// The bytes of an image of the run, by file name; nil where it cannot be had.
  let images: (String) -> [UInt8]?

  /// The whole page, ending in a newline.
  func render(_ document: ReportDocument) -> String {
    var html = XMLWriter()
    html.markup("<!DOCTYPE html>\n")
    html.element("html", ["lang": "en"]) { html in
      html.element("head") { head(document, to: &$0) }
      html.markup("\n")
      html.element("body") { html in
        header(document, to: &html)
        html.element("main") { html in
          for section in document.sections { write(section, to: &html) }
        }
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
        "content": "default-src 'none'; img-src data:; style-src 'unsafe-inline'",
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
      html.element("nav", ["aria-label": "Sections"]) { html in
        for section in document.sections {
          html.element("a", ["href": "#\(section.id)"], text: section.title)
          html.text(" ")
        }
      }
    }
    html.markup("\n")
  }

  private func write(_ section: ReportDocument.Section, to html: inout XMLWriter) {
    html.element("section", ["id": section.id, "aria-labelledby": "\(section.id)-heading"]) {
      html in
      html.element("h2", ["id": "\(section.id)-heading"], text: section.title)
      for (index, block) in section.blocks.enumerated() {
        html.markup("\n")
        write(block, id: "\(section.id)-\(index + 1)", to: &html)
      }
    }
    html.markup("\n")
  }

  private func write(_ block: Block, id: String, to html: inout XMLWriter) {
    switch block {
    case .heading(let title): html.element("h3", text: title)
    case .paragraph(let text): html.element("p", ["class": "wide"], text: text)
    case .verdict(let verdict, let sentence):
      html.element("p", ["class": "wide overall"]) { html in
        badge(verdict, to: &html)
        html.text(" \(sentence)")
      }
    case .headline(let metrics): write(metrics, to: &html)
    case .table(let table): write(table, id: id, to: &html)
    case .figure(let figure): write(figure, id: id, to: &html)
    case .gallery(let images):
      html.element("div", ["class": "wide gallery"]) { html in
        for image in images { write(image, to: &html) }
      }
    case .notes(let notes):
      html.element("ul", ["class": "wide notes", "aria-label": "Notes"]) { html in
        for note in notes { html.element("li", text: note) }
      }
    case .code(let text):
      html.element("pre", ["class": "wide"]) { $0.element("code", text: text) }
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

  private func write(_ table: Table, id: String, to html: inout XMLWriter) {
    let notes = table.notes
    html.element("div", ["class": table.isWide ? "wide table" : "table"]) { html in
      html.element("div", ["class": "scroll"]) { html in
        html.element("table") { html in
          html.element("caption", text: table.title)
          html.element("thead") { html in
            html.element("tr") { html in
              for column in table.columns {
                html.element(
                  "th", ["scope": "col", "class": column.isNumeric ? "number" : nil],
                  text: column.title)
              }
            }
          }
          html.element("tbody") { html in
            for row in table.rows {
              html.markup("\n")
              html.element("tr") { html in
                for (column, cell) in zip(table.columns, row) {
                  let note = cell.note.flatMap { notes.firstIndex(of: $0) }
                  html.element(
                    "td", ["class": column.isNumeric ? "number" : nil, "title": cell.note]
                  ) { html in
                    write(cell.content, to: &html)
                    guard let note else { return }
                    html.element("sup") {
                      $0.element("a", ["href": "#\(id)-note-\(note + 1)"], text: "\(note + 1)")
                    }
                  }
                }
              }
            }
          }
        }
      }
      if let remark = table.remark { html.element("p", ["class": "remark"], text: remark) }
      guard !notes.isEmpty else { return }
      html.element("ol", ["class": "remark"]) { html in
        for (index, note) in notes.enumerated() {
          html.element("li", ["id": "\(id)-note-\(index + 1)"], text: note)
        }
      }
    }
  }

  private func write(_ content: Table.Content, to html: inout XMLWriter) {
    switch content {
    case .text(let text): html.text(text)
    case .code(let text):
      html.element("code", ["class": text.count > 40 ? "long" : nil], text: text)
    case .verdict(let verdict): badge(verdict, to: &html)
    }
  }

  private func badge(_ verdict: Verdict, to html: inout XMLWriter) {
    html.element(
      "span", ["class": "badge \(verdict.rawValue)"], text: "\(verdict.symbol) \(verdict.word)")
  }

  private func write(_ figure: Figure, id: String, to html: inout XMLWriter) {
    html.element("figure") { html in
      html.element("figcaption") { html in
        html.element("strong", text: figure.title)
        if !figure.caption.isEmpty { html.element("span", text: " \(figure.caption)") }
      }
      html.markup(figure.chart.svg(id: id, title: figure.title))
    }
  }

  private func write(_ image: Record.Image, to html: inout XMLWriter) {
    html.element("figure") { html in
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
}
