import FaceCore
import Foundation
import Platform
import Records
import Reporting
import TestSupport
import Testing

@Suite(
  "What the parts of a page select", .serialized,
  .enabled(if: Browser.program != nil, "needs chromium"))
struct SelectionTests {
  /// Functions that scenarios share.
  private static let functions = """
    const chosen = () => [...page.querySelectorAll("#selected button[data-frame]")].map((one) => Number(one.dataset.frame));
    const hash = () => decodeURIComponent(frame.contentWindow.location.hash);
    const open = () => page.querySelectorAll("details").forEach((one) => { one.open = true; });
    const figures = (title) => [...page.querySelectorAll("figure.selects")]
      .filter((one) => one.querySelector("figcaption").textContent.includes(title));
    const clickAt = (figure, x) => {
      const svg = figure.querySelector("svg");
      const [left, right, top, bottom, low, high] = svg.dataset.plot.split(" ").map(Number);
      const at = new DOMPoint(left + (x - low) / (high - low) * (right - left), (top + bottom) / 2)
        .matrixTransform(svg.getScreenCTM());
      svg.dispatchEvent(new MouseEvent("click", {bubbles: true, clientX: at.x, clientY: at.y}));
    };
    """

  private func frames(_ value: JSONValue?) -> [Int] {
    value?.list.compactMap { $0.double.map { Int($0) } } ?? []
  }

  /// The sample's sweep, at each of whose settings other frames have errors.
  private static let sweep: Record = {
    var record = Sample.sweep
    let count = record.sweep?.settings.count ?? 0
    record.sweep?.wrongFrames = Sweep.WrongFrames(
      frames: (0..<count).map { Sweep.WrongFrames.Frame(index: 10 * $0, name: "image-\($0).jpg") },
      settings: (0..<count).map { setting in
        (0..<setting % 4).map {
          Sweep.WrongFrames.Entry(position: (setting + 7 * $0) % count, errors: 3 - $0)
        }
      }, counts: (0..<count).map { $0 % 4 })
    let thresholds = (0...20).map { 1 - Double($0) / 20 }
    record.series.append(
      Series(
        name: "sweep.det", title: "Misses",
        content: .curve(
          Series.Curve(
            xLabel: "false positives accepted", yLabel: "misses",
            lines: [
              Series.Line(
                label: "detection score", x: thresholds.map { 1 - $0 }, y: thresholds,
                thresholds: thresholds)
            ]))))
    return record
  }()

  @Test
  func `cells of heat maps, dots, points and rows choose their setting and exactly its frames`()
    throws
  {
    let sweep = try #require(Self.sweep.sweep)
    let wrong = try #require(sweep.wrongFrames)
    let result = try Browser(Report(record: Self.sweep).html()).run(
      """
      const page = await load();
      \(Self.functions)
      open();
      const seen = () => ({hash: hash(), title: page.querySelector("#setting").textContent,
        frames: [...page.querySelectorAll("#setting-frames li")].map((one) => one.textContent)});
      // A browser takes at most about 200 changes of the address in ten seconds.
      const parts = async (selector) => {
        const choices = [];
        for (const part of page.querySelectorAll(selector)) {
          await wait(80);
          (part.querySelector("button.pick") ?? part).dispatchEvent(new MouseEvent("click", {bubbles: true}));
          choices.push({wanted: part.dataset.select, ...seen()});
        }
        return choices;
      };
      const cells = await parts("rect[data-select]"), dots = await parts("circle[data-select]");
      const rows = await parts("td[data-select]");
      const points = [];
      for (const figure of figures("F1 along min-face-detection-confidence")) {
        for (const x of [0.3, 0.41, 0.88]) {
          await wait(80);
          clickAt(figure, x);
          points.push(seen());
        }
      }
      const curve = [...page.querySelectorAll("circle[data-select]")]
        .filter((one) => one.textContent.startsWith("min-face-detection-confidence")).map((one) => one.dataset.select);
      const current = page.querySelectorAll("rect.current").length;
      return {cells, dots, rows, points, curve, current, error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    let cells = try #require(result["cells"]?.list), dots = try #require(result["dots"]?.list)
    let rows = try #require(result["rows"]?.list)
    // Two maps, of F1 and NME; a front and all other settings, and those along a curve of thresholds.
    #expect(cells.count == 2 * sweep.settings.count)
    let along = Set(sweep.settings.map { $0[0] }).sorted()
    // The front is on the first screen too; one setting has no lag.
    #expect(dots.count == 2 * (sweep.settings.count - 1) + along.count)
    let curve = try #require(result["curve"]?.list)
    #expect(
      try curve.map { choice in
        let wanted = try #require(choice.text)
        return sweep.settings[try #require(Int(wanted.dropFirst("setting:".count)))][0]
      } == along)
    #expect(rows.count > 40)
    for choice in cells + dots + rows {
      let wanted = try #require(choice["wanted"]?.text)
      let setting = try #require(Int(wanted.dropFirst("setting:".count)))
      #expect(choice["hash"]?.text == "#setting=\(setting)")
      #expect(choice["title"]?.text?.hasPrefix("Setting \(setting) of") == true)
      let expected = wrong.settings[setting].map {
        "\(wrong.frames[$0.position].name): \($0.errors) error\($0.errors == 1 ? "" : "s")"
      }
      #expect(choice["frames"]?.list.compactMap(\.text) == expected, "\(wanted)")
    }
    let points = try #require(result["points"]?.list)
    #expect(points.count == 3)
    for (point, value) in zip(points, [0.3, 0.4, 0.9]) {
      let hash = try #require(point["hash"]?.text)
      let setting = try #require(Int(hash.dropFirst("#setting=".count)))
      #expect(sweep.settings[setting][0] == value, "\(hash)")
    }
    #expect((result["current"]?.double ?? 0) == 2)
  }

  /// The sample's detections by falling score.
  private static let ranked = Sample.frames.indices.flatMap { frame in
    Sample.frames[frame].ranked.map { (frame: frame, score: $0.score, isTrue: $0.isTrue) }
  }.sorted { $0.score > $1.score }

  /// Frames with a missed face or a false positive when lower scores do not count.
  private static func wrong(from score: Double) -> [Int] {
    Sample.frames.indices.filter { index in
      let counted = Sample.frames[index].ranked.filter { $0.score >= score }
      return counted.contains { $0.isTrue == false }
        || counted.count { $0.isTrue == true } < Sample.frames[index].labelledCount
    }
  }

  @Test func `points of curves, bins of scores and rows of tables choose exactly their frames`()
    throws
  {
    var record = Sample.explored
    func table(_ name: String, _ columns: [String], _ rows: [[String]]) -> Series {
      Series(
        name: name, title: name, content: .table(Series.Table(columns: columns, rows: rows)))
    }
    record.series.removeAll { ["detection.misses", "tracking.losses"].contains($0.name) }
    record.series += [
      table(
        "tracking.losses",
        ["sequence", "face", "frame lost", "frame re-acquired", "gap (ms)"],
        [["clip 0", "label 0", "7", "9", "66"], ["clip 1", "label 0", "47", "never", "9"]]),
      table(
        "detection.misses", ["frame", "face", "box", "why"],
        [["clip/frame_27.jpg", "0", "1, 2, 3, 4", "no detection near it"]]),
      Series(
        name: "landmarks.ced.interocular", title: "Cumulative errors",
        content: .curve(
          Series.Curve(
            xLabel: "NME", yLabel: "share",
            lines: [
              Series.Line(
                label: "all", x: (0...200).map { Double($0) / 1000 },
                y: (0...200).map { Double($0) / 200 })
            ]))),
    ]
    let recalls = [0.1, 0.5, 0.85]
    let html = Report(record: record).html(frames: try Sample.archive())
    let result = try Browser(html).run(
      """
      const page = await load();
      \(Self.functions)
      open();
      const click = (part) => {
        part.dispatchEvent(new MouseEvent("click", {bubbles: true}));
        return {wanted: part.dataset.select, hash: hash(), frames: chosen()};
      };
      const scores = figures("Scores of true")[0];
      const bins = [...scores.querySelectorAll("rect.bin")].map(click);
      const recalls = \(recalls).map((x) => {
        clickAt(figures("Precision and recall")[0], x);
        return {hash: hash(), frames: chosen()};
      });
      clickAt(figures("Cumulative errors")[0], 0.05);
      const errors = {hash: hash(), frames: chosen()};
      const pick = (text) => [...page.querySelectorAll("main td button.pick")].find((one) => one.textContent === text);
      const rows = ["7", "47", "clip/frame_27.jpg"].map((text) => {
        pick(text).click();
        return {hash: hash(), frames: chosen(), words: page.querySelector("#selection").textContent};
      });
      return {bins, recalls, errors, rows, error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    let bins = try #require(result["bins"]?.list)
    #expect(bins.count > 10)
    for bin in bins {
      let wanted = try #require(bin["wanted"]?.text)
      let match = try #require(wanted.wholeMatch(of: /(true|false):([0-9.]+):([0-9.]*)/))
      let low = Double(match.2) ?? -1, high = Double(match.3) ?? .infinity
      let expected = Sample.frames.indices.filter { index in
        Sample.frames[index].ranked.contains { detection in
          // .7 in single precision is below .7, where the histogram has it.
          let score = Double(Float(detection.score))
          return score >= low && score < high && detection.isTrue == (match.1 == "true")
        }
      }
      #expect(frames(bin["frames"]) == expected, "\(wanted)")
      #expect(bin["hash"]?.text?.hasSuffix("select=\(wanted)") == true)
    }
    let shown = try #require(result["recalls"]?.list)
    for point in shown {
      let hash = try #require(point["hash"]?.text)
      let match = try #require(hash.firstMatch(of: /select=recall:([0-9.]+)/))
      let recall = try #require(Double(match.1))
      var found = 0.0
      let last = try #require(
        Self.ranked.first { detection in
          found += detection.isTrue == true ? 1 : 0
          return found / 90 >= recall - 1e-9
        } ?? Self.ranked.last)
      #expect(frames(point["frames"]) == Self.wrong(from: last.score), "\(hash)")
    }
    #expect(Set(shown.compactMap { $0["hash"]?.text }).count == recalls.count)
    let errors = try #require(result["errors"]?["hash"]?.text)
    let limit = try #require(
      errors.firstMatch(of: /select=nme:([0-9.]+):/).flatMap { Float($0.1) })
    #expect(abs(limit - 0.05) < 0.002)
    #expect(
      frames(result["errors"]?["frames"])
        == Sample.frames.indices.filter {
          Sample.frames[$0].errors.contains { Float($0) >= limit }
        })
    let rows = try #require(result["rows"]?.list)
    try #require(rows.count == 3)
    #expect(frames(rows[0]["frames"]) == [7, 8])
    // To the end of the clip.
    #expect(frames(rows[1]["frames"]) == Array(47..<80))
    #expect(frames(rows[2]["frames"]) == [27])
    #expect(rows[2]["hash"]?.text == "#frame=27&select=frames:27:28")
    #expect(rows[0]["words"]?.text?.hasPrefix("Frames 7 to 8: 2 frames") == true)
  }

  @Test func `a name that several frames have leads to none of them`() throws {
    var record = Sample.explored
    record.series.removeAll { $0.name == "detection.misses" }
    record.series.append(
      Series(
        name: "detection.misses", title: "Missed faces", columns: ["frame", "face"],
        rows: [["twice.jpg", "0"], ["clip/frame_27.jpg", "0"]]))
    var archive = FrameArchive()
    for frame in Sample.frames {
      var entry = frame
      if entry.frame.index < 2 { entry.frame.name = "twice.jpg" }
      archive.add(entry)
    }
    let result = try Browser(Report(record: record).html(frames: try archive.encoded())).run(
      """
      const page = await load();
      return [...page.querySelectorAll("main td button.pick")].map((one) => one.textContent);
      """)
    let names = result.list.compactMap(\.text)
    #expect(names.contains("clip/frame_27.jpg"))
    #expect(!names.contains("twice.jpg"))
  }

  @Test func `a number is the name of a frame only where frames are named`() throws {
    var record = Sample.explored
    record.series.removeAll { $0.name == "detection.misses" }
    record.series.append(
      Series(
        name: "detection.misses", title: "Missed faces", columns: ["frame", "face"],
        rows: [["27", "0"], ["37", "1"]]))
    var archive = FrameArchive()
    for frame in Sample.frames {
      var entry = frame
      entry.frame.name = "\(entry.frame.index)"
      archive.add(entry)
    }
    let result = try Browser(Report(record: record).html(frames: try archive.encoded())).run(
      """
      const page = await load();
      return [...page.querySelectorAll("main td:not([data-select]) button.pick")]
        .map((one) => one.textContent).filter((text) => /^[0-9]+$/.test(text));
      """)
    #expect(result.list.compactMap(\.text) == ["27", "37"])
  }

  @Test func `a point of the reliability diagram chooses the frames of its bin`() throws {
    var record = Sample.explored
    record.series.append(
      Series(
        name: "detection.reliability", title: "Precision over confidence",
        xLabel: "mean confidence", yLabel: "precision",
        lines: [Series.Line(label: "detections", x: [0.5, 0.55, 0.92], y: [0, 0.9, 0.8])]))
    var archive = FrameArchive()
    for frame in Sample.frames {
      var entry = frame
      // It is on an ignored face, which has no part in the diagram.
      if entry.frame.index == 7 { entry.ranked[0].isTrue = nil }
      archive.add(entry)
    }
    let result = try Browser(Report(record: record).html(frames: try archive.encoded())).run(
      """
      const page = await load();
      \(Self.functions)
      open();
      return [0.5, 0.55, 0.92].map((x) => {
        clickAt(figures("Precision over confidence")[0], x);
        return {hash: hash(), frames: chosen()};
      });
      """)
    let points = result.list
    try #require(points.count == 3)
    #expect(points[0]["hash"]?.text?.hasSuffix("select=confidence:0.4:0.5") == true)
    // In single precision .6 is above .6, and .9 below .9.
    let bins: [[Int]] = [[0], Array(1..<7) + Array(8..<20), Array(81..<90)]
    #expect(points.map { frames($0["frames"]) } == bins)
  }

  @Test func `a rate of false positives chooses the lowest score that keeps it`() throws {
    let html = Report(record: Sample.explored).html(frames: try Sample.archive())
    let result = try Browser(html).run(
      """
      const page = await load("#select=fppi%3A0.1");
      \(Self.functions)
      return {frames: chosen(), error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    // Nine of the ten false positives in 90 frames, and each true one above the tenth.
    #expect(frames(result["frames"]) == Self.wrong(from: Sample.frames[1].ranked[0].score))
  }

  @Test func `frames that nobody labelled have no part in a rate of false positives`() throws {
    var archive = FrameArchive()
    for entry in Sample.frames { archive.add(entry) }
    for frame in Sample.frames {
      var entry = frame
      entry.frame.name = "other \(entry.frame.index)"
      (entry.labels, entry.ranked, entry.kept, entry.labelledCount) = ([], [], nil, 0)
      archive.add(entry)
    }
    let html = Report(record: Sample.explored).html(frames: try archive.encoded())
    let result = try Browser(html).run(
      """
      const page = await load("#select=fppi%3A0.05");
      \(Self.functions)
      return {frames: chosen(), error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    // Four false positives in the 90 labelled frames: the fifth is in frame 45.
    #expect(frames(result["frames"]) == Self.wrong(from: Sample.frames[46].ranked[0].score))
  }

  @Test func `all frames of a long selection can be reached in its list`() throws {
    var archive = FrameArchive()
    for index in 0..<900 {
      var entry = Sample.frames[index % 90]
      entry.frame.name = "frame \(index)"
      entry.video = nil
      entry.errorCount = 1
      archive.add(entry)
    }
    let html = Report(record: Sample.explored).html(frames: try archive.encoded())
    let result = try Browser(html).run(
      """
      const page = await load("#select=errors%3A1%3A");
      \(Self.functions)
      const list = page.querySelector("#selected"), counts = [chosen().length];
      for (let i = 0; i < 20 && chosen().length < 900; i++) {
        list.scrollTop = list.scrollHeight;
        list.dispatchEvent(new Event("scroll"));
        counts.push(chosen().length);
      }
      return {counts, frames: chosen(), selected: page.querySelector("#explorer").dataset.selected};
      """)
    #expect(frames(result["frames"]) == Array(0..<900))
    #expect(frames(result["counts"]).first == 200)
    #expect(result["selected"]?.text == "900")
  }
}
