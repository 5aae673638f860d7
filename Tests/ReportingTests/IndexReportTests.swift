import Records
import Reporting
import Testing

@Suite("The page over many runs")
struct IndexReportTests {
  private func entry(_ name: String, path: String?, created: String, ap: Double)
    -> IndexReport.Entry
  {
    var record = Sample.record
    record.created = created
    for index in record.measurements.indices where record.measurements[index].name == "detection.ap"
    {
      record.measurements[index].value = ap
    }
    return IndexReport.Entry(name: name, path: path, record: record)
  }

  private var document: ReportDocument {
    IndexReport([
      entry("b", path: "../runs/b #2/report.html", created: "2026-03-15T00:00:00Z", ap: 0.5),
      entry("a", path: nil, created: "2026-03-14T00:00:00Z", ap: 0.25),
    ]).document
  }

  @Test func `runs stand in the order in which they began, with their verdicts and metrics`() throws
  {
    let section = try #require(document.sections.first)
    #expect(document.sections.count == 1)
    guard case .table(let table)? = section.blocks.first else {
      Issue.record("expected a table")
      return
    }
    #expect(
      table.rows.map { $0[1].content } == [
        .text("a"), .link("b", path: "../runs/b #2/report.html"),
      ])
    #expect(table.rows.map { $0[5].content } == [.verdict(.fail), .verdict(.fail)])
    #expect(table.rows.map { $0[6].content } == [.text("0.250"), .text("0.500")])
    let lines = section.blocks.compactMap { block -> Series.Line? in
      if case .figure(let figure) = block, case .curve(let curve) = figure.chart {
        curve.lines[0]
      } else {
        nil
      }
    }
    #expect(lines.first?.y == [0.25, 0.5])
  }

  @Test func `a link leads to the report by a path that is safe in HTML and Markdown`() throws {
    let links = try ParsedXML(document.html()).elements("a").compactMap { $0["href"] }
    #expect(links == ["../runs/b%20%232/report.html"])
    #expect(document.markdown().contains("[b](../runs/b%20%232/report.html)"))
  }
}
