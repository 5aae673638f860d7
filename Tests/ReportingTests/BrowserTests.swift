import FaceCore
import Foundation
import Platform
import Records
import Reporting
import TestSupport
import Testing

@Suite("The page in a browser", .serialized, .enabled(if: Browser.program != nil, "needs chromium"))
struct BrowserTests {
  @Test func `the sliders show the record's metrics at every setting that was swept`() throws {
    let sweep = try #require(Sample.sweep.sweep)
    let browser = try Browser(Report(record: Sample.sweep).html())
    let result = try browser.run(
      """
      const page = await load();
      const rows = () => Object.fromEntries([...page.querySelectorAll("#setting-metrics tbody tr")]
        .map((row) => [row.dataset.metric, row.cells[1].textContent]));
      const intervals = () => Object.fromEntries([...page.querySelectorAll("#setting-metrics tbody tr")]
        .map((row) => [row.dataset.metric, row.cells[2].textContent]));
      const settings = [];
      for (let i = 0; i < \(sweep.settings.count); i++) {
        frame.contentWindow.location.hash = "#setting=" + i;
        await wait(20);
        settings.push({title: page.querySelector("#setting").textContent, rows: rows(), intervals: intervals()});
      }
      const moves = [];
      for (const slider of page.querySelectorAll("#settings input[type=range]")) {
        for (let stop = 0; stop <= Number(slider.max); stop++) {
          slider.value = stop;
          slider.dispatchEvent(new Event("input"));
          moves.push({parameter: slider.getAttribute("aria-label"), stop, hash: frame.contentWindow.location.hash,
            shown: slider.parentElement.querySelector("output").textContent});
        }
      }
      return {settings, moves, error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    let settings = try #require(result["settings"]?.list)
    try #require(settings.count == sweep.settings.count)
    for (setting, shown) in settings.enumerated() {
      #expect(shown["title"]?.text?.hasPrefix("Setting \(setting) of") == true)
      for metric in sweep.metrics {
        let text = try #require(shown["rows"]?[metric.name]?.text)
        guard let value = sweep.columns[metric.name]?[setting] else {
          #expect(text == "–")
          continue
        }
        let number = try #require(
          text.firstMatch(of: /^-?[0-9.,]+/).flatMap { Double($0.0.replacing(",", with: "")) })
        #expect(
          (number - value).magnitude <= max(0.0005, 0.005 * value.magnitude),
          "\(metric.name) at \(setting): \(text), \(value)")
      }
    }
    for (setting, shown) in settings.enumerated() {
      for metric in sweep.metrics {
        let ends = sweep.intervals?[metric.name]?[setting] ?? nil
        let text = try #require(shown["intervals"]?[metric.name]?.text)
        let numbers = text.replacing(",", with: "").split(separator: " to ")
          .compactMap { Double($0) }
        try #require(numbers.count == (ends == nil ? 0 : 2), "\(metric.name): \(text)")
        for (number, end) in zip(numbers, ends ?? []) {
          #expect((number - end).magnitude <= 0.005 * end.magnitude, "\(metric.name): \(text)")
        }
      }
    }
    let moves = try #require(result["moves"]?.list)
    #expect(moves.count > 10)
    for move in moves {
      let parameter = try #require(
        sweep.parameters.firstIndex { $0.name == move["parameter"]?.text })
      let stop = Int(try #require(move["stop"]?.double))
      let value = Set(sweep.settings.map { $0[parameter] }).sorted()[stop]
      let setting = try #require(
        move["hash"]?.text?.firstMatch(of: /setting=(\d+)/).flatMap { Int($0.1) })
      #expect(sweep.settings[setting][parameter] == value)
      #expect(
        move["shown"]?.text?.hasPrefix(value == value.rounded() ? "\(Int(value))" : "\(value)")
          == true)
    }
  }

  @Test func `bins, slices and links choose exactly their frames`() throws {
    let browser = try Browser(
      Report(record: Sample.explored).html(frames: try Sample.archive()))
    let result = try browser.run(
      """
      let page = await load();
      const chosen = () => [...page.querySelectorAll("#selected button")].map((one) => Number(one.dataset.frame));
      const title = () => page.querySelector("#frame").textContent;
      const bins = [];
      for (const bar of page.querySelectorAll("#summary figure.selects rect.bin")) {
        bar.dispatchEvent(new MouseEvent("click", {bubbles: true}));
        bins.push({hash: frame.contentWindow.location.hash, frames: chosen()});
      }
      page = await load("#select=slice%3Ayaw%3D30-60");
      const slice = chosen();
      page = await load("#select=nme%3A0.07%3A");
      const wrong = chosen();
      page = await load("#frame=17");
      const linked = title();
      const explorer = page.querySelector("#explorer");
      const key = (name) => explorer.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true}));
      key("ArrowRight");
      const right = title();
      key("n");
      const next = title();
      const scrubber = page.querySelector("#explorer input[type=range]");
      scrubber.value = 3;
      scrubber.dispatchEvent(new Event("input"));
      const scrubbed = title();
      await wait(200);
      const drawn = page.querySelector("#view").dataset.frame;
      return {bins, slice, wrong, linked, right, next, scrubbed, drawn,
        error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    let bins = try #require(result["bins"]?.list)
    #expect(bins.count == 7)
    func frames(_ value: JSONValue?) -> [Int] {
      value?.list.compactMap { $0.double.map { Int($0) } } ?? []
    }
    for bin in bins {
      let hash = try #require(bin["hash"]?.text?.removingPercentEncoding)
      let match = try #require(hash.firstMatch(of: /select=latency:([0-9.]+):([0-9.]+)/))
      let (low, high) = (Double(match.1) ?? 0, Double(match.2) ?? 0)
      let expected = Sample.frames.indices.filter {
        Sample.frames[$0].milliseconds.map { $0 >= low && $0 < high } == true
      }
      #expect(frames(bin["frames"]) == expected, "\(hash)")
    }
    #expect(
      frames(result["slice"])
        == Sample.frames.indices.filter { Sample.frames[$0].slices == ["yaw=30-60"] })
    #expect(
      frames(result["wrong"])
        == Sample.frames.indices.filter { Sample.frames[$0].errors.contains { $0 >= 0.07 } })
    #expect(result["linked"]?.text?.hasPrefix("clip/frame_17.jpg") == true)
    #expect(result["right"]?.text?.hasPrefix("clip/frame_18.jpg") == true)
    #expect(result["next"]?.text?.hasPrefix("clip/frame_27.jpg") == true)
    #expect(result["scrubbed"]?.text?.hasPrefix("clip/frame_3.jpg") == true)
    #expect(result["drawn"]?.text == "3")
  }

  @Test func `a higher threshold keeps the counts of the detections above it`() throws {
    let browser = try Browser(
      Report(record: Sample.explored).html(frames: try Sample.archive()))
    let result = try browser.run(
      """
      const page = await load();
      const slider = page.querySelector("#threshold-slider");
      const stops = [];
      for (let stop = 0; stop <= Number(slider.max); stop++) {
        slider.value = stop;
        slider.dispatchEvent(new Event("input"));
        stops.push([...page.querySelectorAll("#threshold-metrics tbody tr")].map((row) => Number(row.cells[2].textContent)));
      }
      return stops;
      """)
    let kept = Sample.frames.flatMap { $0.kept ?? [] }
    let scores = kept.map(\.score).sorted()
    try #require(result.list.count == scores.count)
    for (stop, shown) in result.list.enumerated() {
      let left = kept.filter { $0.score >= scores[stop] }
      let found = Double(left.count { $0.isTrue == true })
      let expected = [
        found / 90, found / Double(left.count), 2 * found / Double(left.count + 90),
        (Double(left.count) - found) / 90,
      ]
      for (own, value) in zip(shown.list.compactMap(\.double), expected) {
        #expect((own - value).magnitude <= 0.00005, "stop \(stop)")
      }
    }
  }

  @Test func `tables sort by number with undefined values last, and filter`() throws {
    let browser = try Browser(Report(record: Sample.record).html())
    let result = try browser.run(
      """
      const page = await load();
      const table = [...page.querySelectorAll("main table")].find((one) => one.rows.length > 14);
      const column = [...table.tHead.rows[0].cells].findIndex((cell) => cell.className === "number");
      const texts = () => [...table.tBodies[0].rows].filter((row) => !row.hidden)
        .map((row) => row.cells[Math.max(0, column)].firstChild.textContent);
      const before = texts();
      const sorter = table.tHead.rows[0].cells[Math.max(0, column)].querySelector("button");
      sorter.click();
      const up = texts();
      sorter.click();
      const down = texts();
      const filter = table.closest(".table").querySelector("input[type=search]");
      filter.value = before[0];
      filter.dispatchEvent(new Event("input"));
      return {before, up, down, filtered: texts(), sort: table.tHead.rows[0].cells[Math.max(0, column)].getAttribute("aria-sort")};
      """)
    func texts(_ key: String) -> [String] { result[key]?.list.compactMap(\.text) ?? [] }
    func number(_ text: String) -> Double? {
      text.firstMatch(of: /^-?[0-9.,]+/).flatMap { Double($0.0.replacing(",", with: "")) }
    }
    #expect(texts("before").sorted() == texts("up").sorted())
    let up = texts("up").map(number), down = texts("down").map(number)
    #expect(up.compactMap { $0 } == up.compactMap { $0 }.sorted())
    #expect(down.compactMap { $0 } == down.compactMap { $0 }.sorted(by: >))
    #expect(up.prefix(up.count { $0 != nil }).allSatisfy { $0 != nil })
    #expect(down.prefix(down.count { $0 != nil }).allSatisfy { $0 != nil })
    #expect(result["sort"]?.text == "descending")
    #expect(!texts("filtered").isEmpty && texts("filtered").count <= texts("before").count)
  }

  @Test func `a column of times sorts by time`() throws {
    let times = ["2026-03-15T08:00:00Z", "2026-03-14T09:26:53Z", "2026-11-02T00:00:00Z"]
    let table = Table(
      title: "Runs", columns: [.words("Name"), .numbers("Begun")],
      rows: times.map { [.text("run"), .text($0)] })
    let document = ReportDocument(
      title: "Runs", facts: [],
      sections: [.init(id: "runs", title: "Runs", blocks: [.table(table)])])
    let result = try Browser(document.html()).run(
      """
      const page = await load();
      const table = page.querySelector("main table");
      table.tHead.rows[0].cells[1].querySelector("button").click();
      return [...table.tBodies[0].rows].map((row) => row.cells[1].textContent);
      """)
    #expect(result.list.compactMap(\.text) == times.sorted())
  }

  @Test func `a count under the pointer keeps all its digits`() throws {
    var record = Sample.empty
    record.series = [
      Series(
        name: "any.series", title: "Counts", xLabel: "x", yLabel: "n",
        lines: [Series.Line(label: "faces", x: [0, 1], y: [12_345, 1_234_567])])
    ]
    let result = try Browser(Report(record: record).html()).run(
      """
      const page = await load();
      page.querySelectorAll("details").forEach((one) => { one.open = true; });
      const svg = page.querySelector("main svg");
      const [left, right, top, bottom] = svg.dataset.plot.split(" ").map(Number);
      return [left, right].map((x) => {
        const at = new DOMPoint(x, (top + bottom) / 2).matrixTransform(svg.getScreenCTM());
        svg.dispatchEvent(new PointerEvent("pointermove", {clientX: at.x, clientY: at.y}));
        return page.querySelector("#tip").textContent;
      });
      """)
    #expect(result.list.compactMap(\.text) == ["x 0\nfaces 12345", "x 1\nfaces 1234567"])
  }

  @Test func `the page of a dataset without frames works`() throws {
    let html = Report(record: Sample.record).html(frames: try FrameArchive().encoded())
    let result = try Browser(html).run(
      """
      const page = await load();
      return {ready: page.documentElement.dataset.ready || "", error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["ready"]?.text == "true" && result["error"]?.text == "")
  }

  @Test func `a page opens from disk without an error, and without its script says everything`()
    throws
  {
    let html = Report(record: Sample.explored).html(frames: try Sample.archive())
    let browser = try Browser(html)
    let (dom, console) = try browser.load()
    #expect(console == "")
    #expect(dom.contains("data-ready=\"true\"") && !dom.contains("data-error"))
    #expect(!dom.contains("<script>alert"))
    let blocked = html.replacing("sha256-", with: "sha256-A")
    let (still, _) = try Browser(blocked).load()
    #expect(!still.contains("data-ready"))
    #expect(
      try ParsedXML(blocked).elements("section").filter { $0["class"] == "widget" }
        .allSatisfy { $0["hidden"] != nil })
    for text in ["How accurate?", "How fast?", "By stage", "COCO metrics"] {
      #expect(still.contains(text), "\(text)")
    }
  }

  @Test func `an archive over its budget drops points of good frames and says so`() throws {
    let small = try Sample.archive(budget: 7_000)
    let large = try Sample.archive()
    #expect(small.count < large.count)
    let browser = try Browser(Report(record: Sample.explored).html(frames: small))
    let (dom, _) = try browser.load("report.html", "#frame=5")
    #expect(dom.contains("data-ready=\"true\"") && !dom.contains("data-error"))
    let kept = try #require(dom.firstMatch(of: /(?:points|outlines) of (\d+) frames/))
    #expect((Int(kept.1) ?? 90) < 90)
  }

  @Test(.enabled(if: Accessibility.script != nil, "needs axe-core of the tests' Python"))
  func `no view of a page has a serious finding of axe-core`() throws {
    let pages = [
      Report(record: Sample.explored).html(frames: try Sample.archive()),
      Report(record: Sample.sweep).html(), Report(record: Sample.pipeline).html(),
    ]
    for html in pages {
      for options in [[], ["--blink-settings=preferredColorScheme=0"], ["--window-size=400,900"]] {
        let findings = try Accessibility.findings(in: html, options: options)
        #expect(findings.isEmpty, "\(findings.joined(separator: "; "))")
      }
    }
  }
}
