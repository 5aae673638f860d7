import FaceCore
import Foundation
import Platform
import Records
import Reporting
import TestSupport
import Testing

@Suite(
  "The page of two runs in a browser", .serialized,
  .enabled(if: Browser.program != nil, "needs chromium"))
struct PairPageTests {
  private func browser() throws -> Browser {
    try Browser(ComparisonReport(comparison: Sample.comparison).html(frames: Sample.archives()))
  }

  private func frames(_ value: JSONValue?) -> [Int] {
    value?.list.compactMap { $0.double.map { Int($0) } } ?? []
  }

  @Test func `frames sort by errors, then NME, then by how far the points moved`() throws {
    let result = try browser().run(
      """
      const chosen = (page) => [...page.querySelectorAll("#selected button")].map((one) => Number(one.dataset.frame));
      const lists = {};
      for (const kind of ["worse", "better", "moved"]) {
        lists[kind] = chosen(await load("#select=change%3A" + kind));
      }
      const page = await load("#frame=50");
      const facts = Object.fromEntries([...page.querySelectorAll("#explorer dt")]
        .map((one) => [one.textContent, one.nextSibling.textContent]));
      return {...lists, facts, error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    // The new miss, then all found faces from 40 on, whose NME grew with the frame's number.
    let grown = (40..<90).filter { $0 % 10 != 7 }
    #expect(frames(result["worse"]) == [30] + grown.reversed())
    #expect(frames(result["better"]) == [7, 17])
    #expect(frames(result["moved"]).sorted() == grown)
    // 3 px of the diagonal of the candidate's points, in thousandths.
    let box = try #require(Sample.candidateFrames[50].prediction.faces[0].box)
    let moved = 3000 / (box.width * box.width + box.height * box.height).squareRoot()
    let text = try #require(result["facts"]?["Points moved"]?.text)
    let shown = try #require(text.hasSuffix(" ‰") ? Double(text.dropLast(2)) : nil)
    #expect((shown - moved).magnitude <= 0.0005 * moved)
    #expect(result["facts"]?["Expression"]?.text == "happy, happy")
    #expect(result["facts"]?["NME"]?.text?.contains(" → ") == true)
  }

  @Test func `swipe, onion and side by side draw both runs of the same frame`() throws {
    let result = try browser().run(
      """
      const page = await load("#frame=50");
      const view = page.querySelector("#view"), share = page.querySelector("#share");
      const mode = page.querySelector("select[aria-label='View of both runs']");
      const count = (red, green, blue) => {
        const copy = page.createElement("canvas");
        [copy.width, copy.height] = [view.width, view.height];
        const pen = copy.getContext("2d", {willReadFrequently: true});
        pen.drawImage(view, 0, 0);
        const data = pen.getImageData(0, 0, view.width, view.height).data;
        let found = 0;
        for (let i = 0; i < data.length; i += 4) {
          found += Math.abs(data[i] - red) < 40 && Math.abs(data[i + 1] - green) < 40 && Math.abs(data[i + 2] - blue) < 40;
        }
        return found;
      };
      const views = [];
      for (const [name, value] of [["side by side", 0.5], ["swipe", 0], ["swipe", 1], ["onion", 0], ["onion", 1]]) {
        mode.value = name;
        mode.dispatchEvent(new Event("change"));
        share.value = value;
        share.dispatchEvent(new Event("input"));
        await wait(150);
        views.push({base: count(208, 140, 255), candidate: count(70, 230, 130), width: view.width, hidden: share.hidden});
      }
      return {views, hash: frame.contentWindow.location.hash, error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    let views = try #require(result["views"]?.list)
    try #require(views.count == 5)
    func number(_ view: Int, _ key: String) -> Double { views[view][key]?.double ?? -1 }
    #expect(number(0, "base") > 100 && number(0, "candidate") > 100)
    for (view, key) in [(1, "candidate"), (2, "base"), (3, "base"), (4, "candidate")] {
      let other = key == "base" ? "candidate" : "base"
      #expect(number(view, key) > 5 * max(1, number(view, other)), "view \(view)")
    }
    #expect(result["hash"]?.text == "#frame=50&view=onion")
  }

  @Test(.enabled(if: Accessibility.script != nil, "needs axe-core of the tests' Python"))
  func `the page of two runs has no serious finding of axe-core`() throws {
    let html = ComparisonReport(comparison: Sample.comparison).html(frames: try Sample.archives())
    let findings = try Accessibility.findings(in: html, options: [])
    #expect(findings.isEmpty, "\(findings.joined(separator: "; "))")
  }
}

@Suite("The report of two runs")
struct ComparisonReportTests {
  @Test func `each metric is drawn with both intervals and the difference, and said in a table`()
    throws
  {
    let html = ComparisonReport(comparison: Sample.comparison).html()
    let document = try ParsedXML(html)
    #expect(document.elements("svg").count == 2)
    // Two dots a metric, one for its difference, two of the key.
    #expect(document.elements("circle").count == 2 * (3 + 2))
    for text in ["0.85 to 0.94", "0.87 to 0.95", "0.004 to 0.018", "+0.011", "5.2", "5.6"] {
      #expect(document.text.contains(text), "\(text)")
    }
    let identifiers = document.all.compactMap { $0.attributes["id"] }
    #expect(Set(identifiers).count == identifiers.count)
    #expect(document.elements("section").allSatisfy { $0["id"] != "explorer" })
  }

  @Test func `a comparison is read back from its file, and another schema is refused`() throws {
    let bytes = try Sample.comparison.json()
    #expect(try Comparison(json: bytes, source: "comparison.json") == Sample.comparison)
    #expect(try Schema.problems(ofFile: bytes) == [])
    let other = String(decoding: bytes, as: UTF8.self)
      .replacing("facegauge.comparison", with: "facegauge.record")
    let error = #expect(throws: FileError.self) {
      try Comparison(json: Array(other.utf8), source: "comparison.json")
    }
    #expect(error?.description.contains("'schema' in") == true)
  }

  @Test func `a page over runs lists comparisons with their result`() throws {
    let page = IndexReport(
      [IndexReport.Entry(name: "a", path: "a/report.html", Sample.record)],
      pairs: [
        IndexReport.Pair(
          name: "both", path: "both/report.html", Sample.comparison)
      ]
    ).document
    let document = try ParsedXML(page.html())
    #expect(
      document.elements("a").compactMap { $0["href"] }.filter { !$0.hasPrefix("#") } == [
        "a/report.html", "both/report.html",
      ])
    #expect(document.text.contains("after against before is better: detection.recall@score"))
  }
}
