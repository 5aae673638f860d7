import FaceCore
import Foundation
import Platform
import Records
import Reporting
import TestSupport
import Testing

@Suite(
  "Copying settings, links, keys and buttons of a page", .serialized,
  .enabled(if: Browser.program != nil, "needs chromium"))
struct SettingCodeTests {
  private struct Refusal: Error, CustomStringConvertible {
    let description: String
  }

  private static let languages = ["python", "json"]

  /// Lines that repeat, empty ones, what HTML and JSON escape, and a last line end.
  private static func text(_ language: Int, _ setting: Int) -> String {
    "# F1 \(setting) <b>&\"'\\\n\nsame\nsame\n\(languages[language])\n"
      + (language == 0 ? "" : "\n")
  }

  private static let refused = 7

  /// The sample's sweep with a text for each setting, one of which one language refuses.
  private static func sweepPage() throws -> Browser {
    let count = try #require(Sample.sweep.sweep).settings.count
    let code = SettingCode(
      in: languages.map { .init(name: $0, title: $0.uppercased()) }, settings: count
    ) { setting in
      languages.indices.map { language in
        setting == refused && language == 0
          ? .failure(Refusal(description: "cannot write python: expected <a>, found b"))
          : .success(text(language, setting))
      }
    }
    return try Browser(Report(record: Sample.sweep).html(code: code))
  }

  /// What a page copies is kept: a page without a reader's gesture may not copy.
  private static let copies = """
    const copies = [];
    const keepCopies = (page) => {
      page.execCommand = () => { copies.push(page.activeElement.value); return true; };
    };
    """

  /// A page a language: a browser lets one go to 200 places in 10 s.
  @Test(arguments: languages.indices)
  func `what is shown and copied is the text of each setting, and a refusal is only shown`(
    language: Int
  ) throws {
    let name = Self.languages[language]
    let result = try Self.sweepPage().run(
      """
      \(Self.copies)
      const page = await load();
      keepCopies(page);
      const before = page.querySelector("#setting-code").textContent;
      const shown = [];
      for (let setting = 0; setting < 35; setting++) {
        frame.contentWindow.location.hash = "#setting=" + setting;
        await wait(5);
        page.querySelector("[data-copy=\(name)]").click();
        shown.push(page.querySelector("#setting-code").textContent);
      }
      return {before, shown, copies, hash: frame.contentWindow.location.hash,
        error: page.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "" && result["before"]?.text == "")
    let texts = (0..<35).map { setting in
      language == 0 && setting == Self.refused ? nil : Self.text(language, setting)
    }
    #expect(
      result["shown"]?.list.compactMap(\.text)
        == texts.map { $0 ?? "cannot write python: expected <a>, found b" })
    #expect(result["copies"]?.list.compactMap(\.text) == texts.compactMap { $0 })
    #expect(result["hash"]?.text == "#code=\(name)&setting=34")
  }

  @Test func `a page without texts has no buttons for them`() throws {
    let html = Report(record: Sample.sweep).html()
    #expect(html.contains("Go to") && !html.contains("data-copy=\""))
  }

  @Test func `a link shows the setting that it names and its text, or says what is not there`()
    throws
  {
    let result = try Self.sweepPage().run(
      """
      const look = (page) => {
        const {top, bottom} = page.querySelector("#settings").getBoundingClientRect();
        return {title: page.querySelector("#setting").textContent, text: page.querySelector("#setting-code").textContent,
          isSeen: top >= 0 && top < 100 || top < 0 && bottom > 900, notice: page.querySelector("#script-error").textContent};
      };
      const first = look(await load("#code=python&setting=12"));
      const page = frame.contentDocument;
      frame.contentWindow.location.hash = "#setting=99";
      await wait(50);
      const unknown = look(page);
      frame.contentWindow.location.hash = "#setting=length";
      await wait(50);
      const word = look(page);
      const other = await load("#sweep-cost");
      return {first, unknown, word, isOpen: other.querySelector("#sweep-cost details").open,
        error: other.documentElement.dataset.error || ""};
      """)
    #expect(result["error"]?.text == "")
    let first = try #require(result["first"])
    #expect(first["title"]?.text?.hasPrefix("Setting 12 of 35") == true)
    #expect(first["text"]?.text == Self.text(0, 12))
    #expect(first["isSeen"] == .bool(true) && first["notice"]?.text == "")
    #expect(result["unknown"]?["notice"]?.text == "Not in this page: setting=99")
    #expect(result["word"]?["notice"]?.text == "Not in this page: setting=length")
    #expect(result["isOpen"] == .bool(true))
  }

  @Test func `a link shows the frame and the slice that it names`() throws {
    let page = Report(record: Sample.explored).html(frames: try Sample.archive())
    let result = try Browser(page).run(
      """
      const titles = [];
      for (const hash of ["#frame=17", "#frame=clip/frame_27.jpg", "#select=slice:yaw%3D30-60", "#frame=900",
        "#select=slice:none"]) {
        const page = await load(hash);
        const {top, bottom} = page.querySelector("#explorer").getBoundingClientRect();
        titles.push({title: page.querySelector("#frame").textContent, isSeen: top < 400 && bottom > 400,
          notice: page.querySelector("#script-error").textContent, menu: page.querySelector("#shown").value,
          error: page.documentElement.dataset.error || ""});
      }
      return titles;
      """)
    let shown = result.list
    try #require(shown.count == 5)
    #expect(shown.allSatisfy { $0["error"]?.text == "" })
    #expect(shown[0]["title"]?.text?.hasPrefix("clip/frame_17.jpg ") == true)
    #expect(shown[1]["title"]?.text?.hasPrefix("clip/frame_27.jpg ") == true)
    #expect(shown[2]["menu"]?.text == "slice:yaw=30-60")
    #expect(shown.prefix(3).allSatisfy { $0["isSeen"] == .bool(true) })
    #expect(shown.prefix(3).allSatisfy { $0["notice"]?.text == "" })
    #expect(shown[3]["notice"]?.text == "Not in this page: frame=900")
    #expect(shown[4]["notice"]?.text?.hasPrefix("Not in this page: select=slice") == true)
  }

  @Test func `keys work without a click, and leave fields and the space bar of the page alone`()
    throws
  {
    let page = Report(record: Sample.explored).html(frames: try Sample.archive())
    let result = try Browser(page).run(
      """
      const page = await load();
      const title = () => page.querySelector("#frame").textContent.split(" ")[0];
      const key = (name, target = page.body) =>
        target.dispatchEvent(new KeyboardEvent("keydown", {key: name, bubbles: true, cancelable: true}));
      const first = title();
      const isLeft = key(" ");
      key("ArrowRight");
      const right = title(), top = page.querySelector("#explorer").getBoundingClientRect().top;
      key("n");
      const error = title();
      const layer = page.querySelector("[data-layer=image]"), was = layer.checked;
      key("1");
      const filter = page.querySelector("input[type=search]");
      key("p", filter);
      key("ArrowRight", page.querySelector("#threshold-slider"));
      const kept = title();
      key(" ");
      await wait(100);
      key(" ");
      return {first, isLeft, right, top, error, isToggled: was !== layer.checked, kept, played: title()};
      """)
    #expect(result["isLeft"] == .bool(true))
    #expect(result["right"]?.text != result["first"]?.text)
    #expect((result["top"]?.double ?? 1e9) < 1000)
    #expect(result["error"]?.text != result["right"]?.text)
    #expect(result["isToggled"] == .bool(true))
    #expect(result["kept"]?.text == result["error"]?.text)
    #expect(result["played"]?.text != result["kept"]?.text)
  }

  /// Pages of all kinds with buttons, by name.
  private static func pages() throws -> [(name: String, browser: Browser, neutral: [String])] {
    let index = IndexReport(
      ["a", "b"].map { .init(name: $0, path: nil, Sample.record) }
    ).document.html()
    return [
      ("index", try Browser(index), ["#"]),
      ("sweep", try sweepPage(), ["#setting=3", "#setting=4"]),
      (
        "run", try Browser(Report(record: Sample.explored).html(frames: Sample.archive())),
        ["#frame=20&threshold=2", "#frame=21&select=errors:1:"]
      ),
      (
        "comparison",
        try Browser(
          ComparisonReport(comparison: Sample.comparison).html(frames: Sample.archives())),
        ["#frame=20", "#frame=21&select=change:worse"]
      ),
    ]
  }

  @Test func `each button that can be pressed changes the page or copies`() throws {
    for (name, browser, neutral) in try Self.pages() {
      let result = try browser.run(
        """
        \(Self.copies)
        const page = await load();
        keepCopies(page);
        page.querySelectorAll("details").forEach((one) => { one.open = true; });
        const look = () => [page.querySelector("main").innerHTML, copies.length, frame.contentWindow.location.hash,
          page.documentElement.scrollTop, ...[...page.querySelectorAll("input")].map((one) => one.value)].join("\\n");
        const dead = [];
        let pressed = 0;
        for (const button of [...page.querySelectorAll("button")]) {
          // From two states: a button may name what is shown.
          let isAlive = false;
          for (const hash of \(neutral)) {
            if (isAlive) continue;
            if (hash !== "#") frame.contentWindow.location.hash = hash;
            await wait(60);
            if (button.disabled || !button.checkVisibility()) continue;
            const before = look();
            button.click();
            await wait(5);
            isAlive = look() !== before;
            pressed += isAlive;
            if (button.id === "play" && isAlive) button.click();
          }
          if (!isAlive && !button.disabled && button.checkVisibility()) dead.push(button.outerHTML.slice(0, 200));
        }
        return {dead, pressed, error: page.documentElement.dataset.error || ""};
        """)
      #expect(result["error"]?.text == "", "\(name)")
      #expect(result["dead"]?.list.compactMap(\.text) == [], "\(name)")
      #expect((result["pressed"]?.double ?? 0) > 3, "\(name)")
    }
  }
}
