import Foundation
import Records
import TestSupport
import Testing

@Suite(
  "Comparing runs on the command line",
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct CompareTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 12, differ: true)
    for (run, score) in [("base", "0.5"), ("strict", "0.9")] {
      let result = try bench.facegauge([
        "evaluate", "good.h5", "-o", run, "--min-face-detection-confidence", score,
        "--resamples", "0",
      ])
      try #require(result.status == 0, "\(result.errors)")
    }
  }

  @Test func `the table, the folder and the JSON agree`() throws {
    let result = try bench.facegauge([
      "compare", "base", "strict", "-o", "out", "--resamples", "200",
    ])
    #expect(result.status == 0 && result.errors == "")
    #expect(
      result.output.contains("note: Options differ: min-face-detection-confidence 0.5 to 0.9."))
    #expect(result.output.hasSuffix("report: out/report.html\n"))
    let json = try bench.facegauge(["compare", "base", "strict", "--json", "--resamples", "200"])
    var printed = try JSONDecoder().decode(Comparison.self, from: Data(json.output.utf8))
    var written = try JSONDecoder().decode(
      Comparison.self, from: Data(try bench.bytes("out/comparison.json")))
    printed.created = ""
    written.created = ""
    printed.frames = []
    written.frames = []
    #expect(printed == written && written.method.clusters == 12)
    for file in [json.output, try bench.text("out/comparison.json")] {
      #expect(try Schema.problems(ofFile: file.utf8) == [])
    }
    #expect(try bench.text("out/report.md").contains("# FaceGauge comparison: base → strict"))
    let page = try bench.text("out/report.html")
    #expect(page.contains("Evaluated differences") && page.contains("id=\"base-data\""))
    #expect(page.contains("id=\"frame-data\"") && page.contains("id=\"explorer\""))
    let plain = try bench.facegauge([
      "compare", "base", "strict", "-o", "plain", "--resamples", "200", "--no-images",
    ])
    #expect(plain.status == 0 && !bench.exists("plain/images/changed-worse-1-base.jpg"))
    #expect(try !(bench.text("plain/report.html").contains("data:image")))
    let index = try bench.facegauge(["report", "--index", "base", "strict", "out", "-o", "."])
    #expect(index.status == 0, "\(index.errors)")
    #expect(try bench.text("index.html").contains("href=\"out/report.html\""))
  }

  @Test func `a ranking prints values with their units`() throws {
    try Material.dataset(bench.url("clip.h5"), frames: 12, isClip: true)
    for run in ["a", "b", "c"] {
      let result = try bench.facegauge(["evaluate", "clip.h5", "-o", run, "--resamples", "0"])
      try #require(result.status == 0, "\(result.errors)")
    }
    let result = try bench.facegauge(["compare", "a", "b", "c"])
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    let row = try #require(lines.first { $0.contains("tracking.losses_per_minute ") })
    #expect(row.contains(" per min "), "\(row)")
  }

  @Test func `what cannot be compared is one line, with its status, and nothing is written`() throws
  {
    try Material.dataset(bench.url("other.h5"), frames: 3)
    _ = try bench.facegauge(["evaluate", "other.h5", "-o", "other", "--resamples", "0"])
    let cases: [(words: [String], status: Int32, text: String)] = [
      (["base", "other"], 65, "expected runs on the same frames, found"),
      (["base", "nothing"], 66, "nothing/record.json"),
      (["base", "strict", "--dataset", "other.h5"], 65, "expected the dataset of the runs"),
      (["base", "strict", "--dataset", "none.h5"], 66, "none.h5"),
      (["base", "strict", "--resamples", "5"], 64, "--resamples"),
      (["base"], 64, "candidate"),
      (["base", "strict", "--gates", "none.json"], 66, "none.json"),
      (["base", "strict", "-o", "base"], 73, "exists already"),
    ]
    for (words, status, text) in cases {
      let result = try bench.facegauge(["compare"] + words)
      #expect(result.status == status, "\(words): \(result.errors)")
      #expect(result.errors.contains(text), "\(words): \(result.errors)")
      #expect(result.output == "")
    }
    try Material.dataset(bench.url("same.h5"), frames: 12)
    let faces = try bench.facegauge(["export", "faces", "base", "--of", "same.h5", "-o", "x.csv"])
    #expect(faces.status == 65 && faces.errors.contains("expected the dataset of the run, SHA-256"))
    try bench.write("{}", to: "broken/record.json")
    let broken = try bench.facegauge(["compare", "broken", "strict"])
    #expect(broken.status == 65 && broken.errors.contains("facegauge.record"))
  }
}
