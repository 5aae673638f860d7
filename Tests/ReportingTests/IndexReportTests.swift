import Records
import Reporting
import Testing

@Suite("The page over many runs")
struct IndexReportTests {
  private func entry(
    _ name: String, path: String? = nil, day: Int, ap: Double?, mode: String = "image",
    threshold: String = "0.5", hasGates: Bool = true
  ) -> IndexReport.Entry {
    var record = Sample.record
    record.created = "2026-03-\(day)T00:00:00Z"
    record.options["mode"] = mode
    record.options["min-face-detection-confidence"] = threshold
    if !hasGates { record.gates = [] }
    for index in record.measurements.indices where record.measurements[index].name == "detection.ap"
    {
      record.measurements[index].value = ap
      record.measurements[index].interval =
        ap.map { Interval(low: $0 - 0.125, high: $0 + 0.125, method: "test") }
        ?? record.measurements[index].interval
    }
    return IndexReport.Entry(name: name, path: path, record)
  }

  private func tables(_ section: ReportDocument.Section) -> [Table] {
    section.blocks.compactMap { block in
      if case .table(let table) = block { table } else { nil }
    }
  }

  private var document: ReportDocument {
    IndexReport([
      entry("b", path: "../runs/b #2/report.html", day: 15, ap: 0.5),
      entry("a", day: 14, ap: 0.25),
    ]).document
  }

  @Test func `runs stand latest first, verdict first, with the metrics of the latest`() throws {
    #expect(document.sections.count == 1)
    let table = try #require(tables(document.sections[0]).last)
    #expect(table.columns.prefix(2).map(\.title) == ["Verdict", "Name"])
    #expect(table.rows.map { $0[0].content } == [.verdict(.fail), .verdict(.fail)])
    #expect(
      table.rows.map { $0[1].content } == [
        .link("b", path: "../runs/b #2/report.html"), .text("a"),
      ])
    let ap = try #require(table.columns.firstIndex { $0.title.hasPrefix("AP") })
    #expect(table.rows.map { $0[ap].content } == [.text("0.500"), .text("0.250")])
  }

  @Test func `a metric over the runs is a line with a bar for each interval, oldest first`() throws
  {
    let table = try #require(tables(document.sections[0]).first)
    let row = try #require(table.rows.first { $0[1].content == .text("0.500 (0.375 to 0.625)") })
    guard case .sparkline(let metrics) = row[2].content else {
      Issue.record("expected a sparkline")
      return
    }
    #expect(metrics.map(\.value) == [0.25, 0.5])
    let page = try ParsedXML(document.html())
    let drawing = try #require(
      page.elements("svg").first { $0["aria-label"] == "0.250 → 0.500" })
    #expect(drawing["class"] == "spark")
    // .125 to .625 spans the height: .25 and .5 lie at a quarter and at three quarters of it.
    let drawn = document.html()
    #expect(drawn.contains("<path class=\"line s0\" d=\"M4 23.5L112 10.5\"/>"))
    #expect(drawn.contains("<line class=\"whisker\" x1=\"4\" x2=\"4\" y1=\"30\" y2=\"17\"/>"))
    #expect(document.markdown().contains("0.250 → 0.500"))
  }

  @Test func `only runs of one dataset, kind and mode stand together, failed ones first`() throws {
    let document = IndexReport([
      entry("old", day: 11, ap: 0.25, hasGates: false),
      entry("still", day: 12, ap: 0.25, hasGates: false),
      entry("moving", day: 14, ap: 0.75, mode: "video"),
    ]).document
    #expect(
      document.sections.map(\.title) == [
        "Latest runs", "street-faces, image evaluation",
        "street-faces, video evaluation",
      ])
    let latest = try #require(tables(document.sections[0]).first)
    #expect(latest.rows.map { $0[1].content } == [.text("moving"), .text("still")])
    #expect(latest.rows.map { $0[0].content } == [.verdict(.fail), .text("–")])
  }

  @Test func `a run with a suspect input says so, until a person accepts it`() throws {
    func document(isAccepted: Bool) -> ReportDocument {
      var late = entry("late", day: 15, ap: 0.5, hasGates: false)
      var finding = Finding("time.shift", .suspect, "Late.", statistic: "difference", n: 20)
      finding.isAccepted = isAccepted
      late.result.findings = [finding]
      let moving = entry("moving", day: 14, ap: 0.5, mode: "video", hasGates: false)
      return IndexReport([moving, late]).document
    }
    let latest = try #require(tables(document(isAccepted: false).sections[0]).first)
    #expect(latest.rows.map { $0[0].content } == [.text("late"), .text("moving")])
    let results = latest.rows.compactMap { row -> String? in
      if case .text(let text)? = row.last?.content { text } else { nil }
    }
    #expect(results.map { $0.hasPrefix("suspect: time.shift; ") } == [true, false])
    #expect(!document(isAccepted: true).markdown().contains("suspect"))
  }

  @Test func `comparisons and rankings of a suspect input say so, until a person accepts it`() {
    func text(isAccepted: Bool) -> String {
      var finding = Finding("time.shift", .suspect, "Late.", statistic: "difference", n: 20)
      finding.isAccepted = isAccepted
      var pair = Sample.comparison
      pair.findings = [finding]
      var ranking = Ranking(
        tool: pair.tool, created: pair.created, dataset: pair.dataset,
        runs: [pair.base, pair.candidate], method: pair.method, tests: 0, notes: [], metrics: [],
        agreement: Ranking.Agreement(frames: 0, pairs: [], runs: []))
      ranking.findings = [finding]
      return IndexReport(
        [], pairs: [IndexReport.Pair(name: "both", path: nil, pair)],
        findings: [IndexReport.Finding(name: "three", path: nil, ranking)]
      ).document.markdown()
    }
    #expect(text(isAccepted: false).ranges(of: "suspect: time.shift").count == 2)
    #expect(!text(isAccepted: true).contains("suspect"))
  }

  @Test func `a column that no run fills is left out`() throws {
    let document = IndexReport([
      entry("a", day: 14, ap: nil, hasGates: false), entry("b", day: 15, ap: nil, hasGates: false),
    ]).document
    for table in document.sections.flatMap(tables) {
      #expect(!table.columns.contains { ["Verdict", "Commit"].contains($0.title) })
      for column in table.columns.indices {
        #expect(table.rows.contains { $0[column].content != .text("–") })
      }
    }
  }

  @Test func `settings stand with the runs where they differ`() throws {
    let title = "Settings that differ"
    let document = IndexReport([
      entry("a", day: 14, ap: 0.5), entry("b", day: 15, ap: 0.25, threshold: "0.93"),
    ]).document
    let table = try #require(tables(document.sections[0]).last)
    let column = try #require(table.columns.firstIndex { $0.title == title })
    #expect(
      table.rows.map { $0[column].content } == [
        .text("min-face-detection-confidence 0.93"), .text("min-face-detection-confidence 0.5"),
      ])
    #expect(!self.document.markdown().contains(title))
  }

  @Test func `a link leads to the report by a path that is safe in HTML and Markdown`() throws {
    let links = try ParsedXML(document.html()).elements("a").compactMap { $0["href"] }
      .filter { !$0.hasPrefix("#") }
    #expect(links == ["../runs/b%20%232/report.html"])
    #expect(document.markdown().contains("[b](../runs/b%20%232/report.html)"))
  }
}
