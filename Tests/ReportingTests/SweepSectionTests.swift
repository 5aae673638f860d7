import Platform
import Records
import Reporting
import Testing

@Suite("Sections of a sweep")
struct SweepSectionTests {
  private func blocks(_ id: String, of record: Record = Sample.sweep) -> [Block] {
    Report(record: record).document.sections.first { $0.id == id }?.blocks ?? []
  }

  private func charts(_ blocks: [Block]) -> [Chart] {
    blocks.compactMap { if case .figure(let metric) = $0 { metric.chart } else { nil } }
  }

  private func page(_ record: Record) throws -> ParsedXML {
    try ParsedXML(Report(record: record).html { _ in nil })
  }

  @Test func `the Markdown report is the golden file`() throws {
    try expectGolden(Report(record: Sample.sweep).markdown(), "sweep.md")
  }

  @Test func `the page is well-formed, with the recommendation before everything else`() throws {
    let document = try page(Sample.sweep)
    #expect(document.elements("section").map { $0["id"] } == Sample.sweepSectionIDs)
    let identifiers = document.all.compactMap { $0.attributes["id"] }
    #expect(Set(identifiers).count == identifiers.count)
    #expect(try Record(json: Sample.sweep.json()) == Sample.sweep)
  }

  @Test
  func `a recommendation opens with the setting, its interval and the metric held out, then warns`()
    throws
  {
    let blocks = blocks("sweep-advice")
    guard case .heading("1. max f1")? = blocks.first, case .headline(let metrics) = blocks[1],
      case .paragraph(let gain) = blocks[2], case .notes(let warnings) = blocks[3]
    else {
      Issue.record("expected a heading, metrics, a sentence and warnings")
      return
    }
    #expect(metrics.map(\.value) == ["0.4", "0.3", "0.5", "0.875", "0.848"])
    #expect(metrics[2].detail == "not moved")
    #expect(metrics[0].detail == "95 %: 0.3 to 0.5 · chosen in 62.5 % of resamples")
    #expect(metrics[4].detail == "3 folds: 0.820 to 0.875 · optimism 0.0273")
    #expect(gain.hasPrefix("Verdict: keep the default (min-face-detection-confidence 0.5,"))
    #expect(warnings[0].hasPrefix("min-face-presence-confidence is flat: f1 changes"))
    #expect(
      blocks.contains(
        .notes([
          "No setting is recommended: none of 35 settings meets lag <= 2, the nearest has 11.2."
        ])))
  }

  @Test
  func
    `curves of one unit and direction share an axis, with the recommended setting on its own metric`()
    throws
  {
    let blocks = blocks("sweep-curves")
    let curves = charts(blocks).compactMap { if case .curve(let curve) = $0 { curve } else { nil } }
    // Ratios, NME, ‰ and ms along either parameter; jitter moves with both; then two series of scores.
    #expect(
      curves.map { $0.lines.map(\.label) } == [
        ["F1", "Recall", "Precision"], ["NME of found faces"], ["Jitter"], ["Lag"],
        ["F1", "Recall", "Precision"], ["NME of found faces"], ["Jitter"], ["Lag", "Mean latency"],
        ["detector"], ["presence"],
      ])
    #expect(curves[0].marks == [Series.Mark(label: "best 1", x: 0.4, y: 0.875 - 0)])
    #expect(curves[3].yLabel == "ms (lower is better)")
    #expect(curves[7].yLabel == "ms (lower is better)")
    #expect(
      blocks.contains(
        .paragraph(
          "Fixed: Mean latency 7.20 ms, Images evaluated 1,204 images."
            + " At min-face-presence-confidence 0.3.")))
  }

  @Test func `a heat map has a cell a setting and a hole where the metric is undefined`() throws {
    let maps = charts(blocks("sweep-curves")).compactMap {
      if case .heatMap(let map) = $0 { map } else { nil }
    }
    #expect(maps.map(\.metric.title) == ["F1", "NME of found faces"])
    let map = try #require(maps.first)
    #expect(map.x.count == 7 && map.y.count == 5)
    #expect(map.marks.map(\.label) == ["best 1", "default"])
    #expect(map.marks.map { [$0.column, $0.row] } == [[1, 1], [2, 2]])
    #expect(map.marks.map(\.isBase) == [false, true])
    #expect(map.values[1][1] == Sample.sweep.sweep?.columns["f1"]?[6])
    var record = Sample.sweep
    record.sweep?.columns["f1"]?[6] = nil
    let holes = try page(record).elements("rect").filter { $0["class"] == "hole" }
    #expect(holes.count == 1)
  }

  @Test func `a heat map of a metric without a better end is brighter where it is larger`() {
    var record = Sample.sweep
    func captions() -> [String] {
      blocks("sweep-curves", of: record).compactMap {
        guard case .figure(let figure) = $0, case .heatMap = figure.chart else { return nil }
        return figure.caption
      }
    }
    func keys() -> Int { Report(record: record).html().ranges(of: ", better</text>").count }
    let directed = keys()
    #expect(captions() == ["Brighter is better.", "Brighter is better."] && directed > 0)
    record.sweep?.metrics[0].better = .closest
    #expect(
      captions() == [
        "Brighter is larger; nearest to the target is best.", "Brighter is better.",
      ])
    #expect(keys() == directed / 2)
  }

  @Test func `charts show the limit of an objective on a rule with a hyphen`() throws {
    let name = "expressions.jaw-open.f1"
    let changed = try record { sweep in
      for index in sweep.metrics.indices where sweep.metrics[index].name == "recall" {
        sweep.metrics[index].name = name
      }
      sweep.columns[name] = sweep.columns["recall"]
      sweep.advice[1].objective = "min nme where lag <= 22 and \(name) >= 0.5"
    }
    let limits = blocks("sweep-curves", of: changed).flatMap { block -> [ChartLimit] in
      if case .figure(let figure) = block { figure.limits } else { [] }
    }
    #expect(limits.contains { $0.label == "objective: \(name) >= 0.5" && $0.value == 0.5 })
  }

  @Test func `settings that none beats are joined, the others are grey`() throws {
    let plots = charts(blocks("sweep-fronts")).compactMap {
      if case .tradeOff(let plot) = $0 { plot } else { nil }
    }
    // Three metrics have a table alone.
    #expect(plots.count == 1)
    let plot = try #require(plots.first)
    // One setting has no lag.
    #expect(plot.front.count == 7 && plot.beaten.count == 35 - 7 - 1)
    #expect(plot.marks.map(\.label) == ["best 1", "best 2", "default"])
    let document = try page(Sample.sweep)
    #expect(document.elements("circle").count { $0["class"] == "beaten" } == 2 * (35 - 7 - 1))
  }

  @Test func `a parameter that moves nothing is reported as without effect here, with the reason`()
    throws
  {
    let blocks = blocks("sweep-effects")
    #expect(
      blocks.first
        == .notes([
          "min-tracking-confidence has no effect here: one face: it is an overlap threshold, not a score."
        ]))
    guard case .table(let table)? = blocks.last else {
      Issue.record("expected a table")
      return
    }
    #expect(
      table.rows.map { $0[7].content } == [
        .text("yes"), .text("yes"), .text("small"), .text("no effect here"),
        .text("no effect here"), .text("no effect here"),
      ])
  }

  @Test func `the cost states how many inferences replace how many`() {
    #expect(
      blocks("sweep-cost").first
        == .paragraph("4,083 inferences instead of 51,310: 13 times less."))
  }

  /// The sample with its sweep changed.
  private func record(_ change: (inout Sweep) -> Void) throws -> Record {
    var record = Sample.sweep
    var sweep = try #require(record.sweep)
    change(&sweep)
    record.sweep = sweep
    return record
  }

  @Test func `a parameter of one value and another default has moved`() throws {
    let changed = try record { $0.parameters[0].values = [0.4] }
    let shown = blocks("sweep-advice", of: changed)
    guard case .headline(let metrics) = shown[1] else {
      Issue.record("expected metrics")
      return
    }
    #expect(metrics[0].detail == "95 %: 0.3 to 0.5 · chosen in 62.5 % of resamples")
  }

  @Test func `a metric that is better neither way is not called better lower`() throws {
    let changed = try record { sweep in
      for index in sweep.metrics.indices where sweep.metrics[index].name == "lag" {
        sweep.metrics[index].better = .neither
      }
    }
    let labels = charts(blocks("sweep-fronts", of: changed) + blocks("sweep-curves", of: changed))
      .compactMap { chart -> String? in
        switch chart {
        case .tradeOff(let plot): plot.yLabel
        case .curve(let curve): curve.yLabel
        default: nil
        }
      }
    #expect(labels.contains("Lag (ms, neither way is better)"))
    #expect(labels.contains("ms (neither way is better)"))
    let lines = Report(record: changed).markdown().split(separator: "\n")
    let rows = lines.filter { $0.contains("`lag`") }
    #expect(!rows.isEmpty && rows.allSatisfy { $0.hasSuffix("| – |") })
  }

  @Test(arguments: [
    ([Int](), "No objective was given.", "no objective was given"),
    ([2], "No setting meets an objective.", "no setting meets max f1 where lag <= 2"),
    ([2, 2, 0], "F1 is ", "no setting meets max f1 where lag <= 2"),
  ])
  func `objectives that are missing and objectives that are not met are told apart`(
    positions: [Int], answer: String, result: String
  ) throws {
    let met = try record { sweep in sweep.advice = positions.map { sweep.advice[$0] } }
    let sentences = Decision(met).answers[0].sentences
    #expect(sentences.first?.hasPrefix(answer) == true && sentences.count == 1)
    let index = IndexReport([IndexReport.Entry(name: "a", path: nil, met)]).document
    guard case .table(let runs)? = index.sections.first?.blocks.last else {
      Issue.record("expected a table")
      return
    }
    #expect(runs.rows.first?.last?.content == .text(result))
  }

  @Test func `a sweep without advice, default or moved parameters still gives a page`() throws {
    var bare = try record { sweep in
      (sweep.advice, sweep.defaultSetting, sweep.fronts, sweep.effects) = ([], nil, [], [])
    }
    bare.series = []
    #expect(
      Report(record: bare).document.sections.map(\.id)
        == ["summary", "sweep-curves", "sweep-cost", "provenance"])
    for count in [1, 0] {
      bare.sweep = try record { sweep in
        (sweep.advice, sweep.defaultSetting, sweep.fronts, sweep.effects) = ([], nil, [], [])
        sweep.settings = Array(sweep.settings.prefix(count))
        sweep.columns = sweep.columns.mapValues { Array($0.prefix(count)) }
        sweep.intervals = nil
      }.sweep
      #expect(try Record(json: bare.json()) == bare)
      #expect(
        Report(record: bare).document.sections.map(\.id) == ["summary", "sweep-cost", "provenance"])
    }
  }

  @Test func `odd numbers and names from outside still give a finite drawing of plain text`() throws
  {
    let attack = "\"><script>alert('x')</script>&amp;"
    for value in [1e300, -1e300, 0, .leastNormalMagnitude, .greatestFiniteMagnitude] {
      let odd = try record { sweep in
        for name in ["f1", "lag", "jitter"] {
          sweep.columns[name] = (sweep.columns[name] ?? []).enumerated().map { index, old in
            index % 3 == 0 ? value : index % 3 == 1 ? -value : old
          }
        }
        sweep.parameters[0].name = attack
        sweep.advice[0].warnings = [attack]
      }
      let document = try page(odd)
      #expect(document.elements("script").map { $0["id"] } == ["page-data", nil])
      for (name, attributes) in document.all {
        for key in ["x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "d"] {
          let text = attributes[key] ?? ""
          #expect(!text.contains("nan") && !text.contains("inf"), "\(name) \(key) \(text)")
        }
      }
    }
  }

  @Test func `a grid of ten thousand settings makes a page of a bearable size`() throws {
    let values = (0..<100).map { Double($0) / 100 }
    let large = try record { sweep in
      sweep.settings = values.flatMap { first in values.map { [first, $0, 0.5] } }
      let products = sweep.settings.map { Optional($0[0] * $0[1] + $0[0] / 8) }
      sweep.columns = sweep.columns.mapValues { _ in products }
      sweep.intervals = nil
    }
    let html = Report(record: large).html { _ in nil }
    #expect(html.utf8.count < 1_500_000)
    #expect(Report(record: large).markdown().utf8.count < 60_000)
  }
}
