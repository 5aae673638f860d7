import Records

extension HTMLRenderer {
  /// Writes a table; footnotes are numbered over the section, whose list follows its last block.
  func write(
    _ table: Table, id: String, notes: (section: String, texts: [String]), to html: inout XMLWriter
  ) {
    html.element("div", ["class": table.isWide ? "wide table" : "table"]) { html in
      html.table(id: id, caption: table.title, columns: table.columns) { html in
        for row in table.rows {
          html.markup("\n")
          html.element("tr") { html in
            for (column, cell) in zip(table.columns, row) {
              let note = cell.note.flatMap { notes.texts.firstIndex(of: $0) }
              html.element(
                "td",
                [
                  "class": column.isNumeric ? "number" : nil, "title": cell.note,
                  "data-select": cell.selection,
                ]
              ) { html in
                write(cell.content, to: &html)
                guard let note else { return }
                html.element("sup") {
                  $0.element(
                    "a", ["href": "#\(notes.section)-note-\(note + 1)"], text: "\(note + 1)")
                }
              }
            }
          }
        }
      }
      if let remark = table.remark { html.element("p", ["class": "remark"], text: remark) }
    }
  }

  private func write(_ content: Table.Content, to html: inout XMLWriter) {
    switch content {
    case .text(let text): html.text(text)
    case .code(let text):
      html.element("code", ["class": text.count > 40 ? "long" : nil], text: text)
    case .verdict(let verdict): badge(verdict, to: &html)
    case .sparkline(let metrics): html.markup(Sparkline.svg(metrics))
    case .link(let text, let path): html.element("a", ["href": path.escapedForPath], text: text)
    }
  }
}

extension XMLWriter {
  /// Writes a table that scrolls, with its caption and column names; `rows` writes the rest.
  mutating func table(
    id: String, caption: String, columns: [Table.Column], _ rows: (inout XMLWriter) -> Void
  ) {
    element("div", ["class": "scroll"]) { html in
      html.element("table", ["id": id]) { html in
        html.element("caption", text: caption)
        html.element("thead") { html in
          html.element("tr") { html in
            for column in columns {
              html.element(
                "th", ["scope": "col", "class": column.isNumeric ? "number" : nil],
                text: column.title)
            }
          }
        }
        html.element("tbody", [:], rows)
      }
    }
  }
}

extension ReportDocument.Section {
  /// The footnotes of all tables in the order of their first cell, each once.
  var footnotes: [String] {
    blocks.flatMap { if case .table(let table) = $0 { table.notes } else { [String]() } }.uniqued
  }
}
