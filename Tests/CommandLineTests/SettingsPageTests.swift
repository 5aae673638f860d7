import Foundation
import Platform
import TestSupport
import Testing

@Suite(
  "Settings of a sweep, from the command and from its page", .serialized,
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct SettingsPageTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 12, isClip: true)
  }

  private static let languages = ["swift", "kotlin", "python", "javascript", "json"]

  private func sweep(_ words: [String], to name: String = "sweep") throws {
    let result = try bench.facegauge(
      ["sweep", "good.h5", "-o", name, "--resamples", "20"] + words)
    try #require([0, 3].contains(result.status), "\(result.errors)")
  }

  /// Text of the command, or its error without the prefix; with a setting's number that setting.
  private func text(_ language: String, _ setting: Int?, of name: String = "sweep") throws -> String
  {
    let result = try bench.facegauge(
      ["settings", name, "--emit", language] + (setting.map { ["--setting", "\($0)"] } ?? []))
    #expect(result.status == (result.output.isEmpty ? 65 : 0))
    guard result.output.isEmpty else { return result.output }
    let line = try #require(result.errorLines.first)
    return String(line.dropFirst("error: ".count))
  }

  private static let varied = [
    "--mode", "video", "--threshold", "min-face-detection-confidence=0.3:0.7:0.2", "--threshold",
    "smoothing-beta=20,80",
  ]

  @Test(.enabled(if: Browser.program != nil, "needs chromium"), arguments: ["sweep", "report"])
  func `the page copies what the command writes, byte for byte`(writer: String) throws {
    try sweep(Self.varied)
    try sweep(["--mode", "video", "--threshold", "smoothing-beta=20,80"], to: "smooth")
    for (name, settings) in [("sweep", [0, 3, 5]), ("smooth", [0, 1])] {
      if writer == "report" { #expect(try bench.facegauge(["report", name]).status == 0) }
      let shown = try Browser(try bench.text("\(name)/report.html")).run(
        """
        const page = await load(), shown = {}, copies = [];
        page.execCommand = () => { copies.push(page.activeElement.value); return true; };
        for (const setting of \(settings)) {
          frame.contentWindow.location.hash = "#setting=" + setting;
          await wait(10);
          for (const language of \(Self.languages)) {
            const count = copies.length;
            page.querySelector("[data-copy=" + language + "]").click();
            const text = page.querySelector("#setting-code").textContent;
            shown[setting + language] = copies.length > count && copies.at(-1) !== text ? "copied another text" : text;
          }
        }
        return shown;
        """)
      for setting in settings {
        for language in Self.languages {
          #expect(
            try shown["\(setting)\(language)"]?.text == text(language, setting, of: name),
            "\(name), setting \(setting), \(language)")
        }
      }
    }
  }

  @Test func `the first line has the metric at the setting and at the default`() throws {
    try sweep(Self.varied)
    let chosen = try text("python", nil).split(separator: "\n")
    #expect(chosen[0].wholeMatch(of: /# F1.* with these settings, the default\./) != nil)
    let other = try text("python", 0).split(separator: "\n")
    #expect(
      other[0].wholeMatch(
        of: /# F1 .* with these settings, .* with the default(, .*)?; measured otherwise, .*\./)
        != nil, "\(other[0])")
    #expect(
      other.contains {
        $0.wholeMatch(of: /# Warning: this is setting 0 of 6, the verdict is on setting \d\./)
          != nil
      })
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text("json", 0).utf8)) as? [String: Any])
    #expect((document["evidence"] as? String)?.hasPrefix("F1") == true)
    #expect((document["reached"] as? [[String: Any]])?.first?["isDefault"] as? Bool == false)
  }

  @Test func `a video sweep is written for iOS, with what iOS does otherwise`() throws {
    try sweep(Self.varied)
    let text = try text("swift", nil)
    #expect(text.contains("options.runningMode = .video"))
    #expect(
      text.contains("// Warning: measured as MediaPipe tracks and smooths on other platforms"))
    #expect(text.contains("smoothing-beta was swept; nothing is smoothed here."))
    #expect(try self.text("python", 0).contains("# Warning: measured with smoothing-beta 20;"))
    try sweep(["--mode", "video", "--threshold", "smoothing-beta=20,80"], to: "smooth")
    #expect(
      try self.text("swift", 0, of: "smooth").contains(
        "expected a run or sweep with --compatibility ios in video mode"))
    #expect(
      try self.text("python", 0, of: "smooth").contains("smoothing-beta 80, which MediaPipe fixes"))
  }

  @Test func `without a recommendation the default is written, and a warning says so`() throws {
    try sweep([
      "--threshold", "min-face-detection-confidence=0.3:0.7:0.2", "--objective",
      "max coverage where fp_per_frame < 0",
    ])
    let text = try text("kotlin", nil)
    #expect(text.contains(".setMinFaceDetectionConfidence(0.5f)"))
    #expect(text.contains("no setting is recommended: none of 3 settings meets fp_per_frame < 0"))
    #expect(text.contains("; this is the default."))
    #expect(
      text.contains("// Warning: with these settings fp_per_frame is 0, which breaks the limit"))
    let wrong = try bench.facegauge(["settings", "sweep", "--setting", "3"])
    #expect(wrong.status == 65 && wrong.errors.contains("a setting from 0 to 2, found 3"))
    let file = try bench.facegauge(["settings", "good.h5", "--setting", "1"])
    #expect(file.status == 64 && file.errors.contains("'--setting' requires the folder of a sweep"))
  }
}
