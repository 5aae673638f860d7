import Foundation
import TestSupport
import Testing

@Suite("What is printed, and where")
struct OutputTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 3)
  }

  private func parsed(_ words: [String]) throws -> Any {
    let result = try bench.facegauge(words)
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(result.output.hasSuffix("\n"))
    return try JSONSerialization.jsonObject(with: Data(result.output.utf8))
  }

  @Test func `inspect, validate, models list and metrics print one JSON value with --json`() throws
  {
    let contents = try #require(try parsed(["inspect", "good.h5", "--json"]) as? [String: Any])
    #expect(contents["frames"] as? Int == 3)
    #expect(contents["faces"] as? Int == 3)
    let validation = try #require(
      try parsed(["validate", "good.h5", "--json"]) as? [String: Any])
    #expect(validation["frames"] as? Int == 3)
    let models = try #require(try parsed(["models", "list", "--json"]) as? [[String: Any]])
    #expect(
      models.map { $0["name"] as? String } == [
        "blazeface-short-range", "blazeface-full-range", "face-landmarks-v2",
        "face-landmarks-attention", "face-blendshapes", "face-geometry-metadata",
      ])
    #expect(
      models.map { $0["optional"] as? Bool } == [false, false, true, false, true, true])
    let metrics = try #require(try parsed(["metrics", "--json"]) as? [[String: String]])
    #expect(metrics.contains { $0["name"] == "detection.ap" })
    for metric in metrics {
      for key in ["name", "title", "unit", "better", "formula", "source"] {
        #expect(metric[key]?.isEmpty == false, "\(metric)")
      }
    }
  }

  @Test(
    .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
  func `evaluate prints its record with --json, the bytes of record.json`() throws {
    let result = try bench.facegauge(["evaluate", "good.h5", "-o", "run", "--json"])
    #expect(result.status == 0 && result.errors == "")
    let record = try #require(
      try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect(record["schema"] as? String == "facegauge.record")
    let file = try bench.text("run/record.json")
    #expect(
      result.output.trimmingCharacters(in: .newlines) == file.trimmingCharacters(in: .newlines))
  }

  @Test func `without a terminal nothing holds an escape code and no progress is shown`() throws {
    for words in [
      ["inspect", "good.h5"], ["validate", "good.h5"], ["models"], ["metrics"], ["help"],
      ["animate", "good.h5", "-o", "clips.h5", "--frames-per-clip", "50"], ["inspect", "no.h5"],
    ] {
      let result = try bench.facegauge(words, environment: ["TERM": "xterm"])
      #expect(!(result.output + result.errors).contains("\u{1B}"), "\(words)")
      #expect(!(result.output + result.errors).contains("\r"), "\(words)")
    }
  }

  @Test func `what is made is told on standard error, data on standard output`() throws {
    let made = try bench.facegauge(
      ["animate", "good.h5", "-o", "clips.h5", "--motion", "pan", "--frames-per-clip", "4"])
    #expect(made.output == "")
    #expect(made.errors == "clips.h5: 3 clips, 12 frames, 12 faces\n")
    let suite = try bench.facegauge(["degrade", "good.h5", "-o", "suite.h5", "--by", "blur"])
    #expect(suite.output == "")
    #expect(suite.errors == "suite.h5: 18 frames, 18 faces\n")
    let annotated = try bench.facegauge(
      ["annotate", "good.h5", "-o", "annotated.h5", "--by", "luminance,sharpness"])
    #expect(annotated.output.contains("computed.luminance: 0-20 "))
    #expect(annotated.errors == "annotated.h5: 3 frames, 3 faces\n")
    let told = try bench.facegauge(["validate", "clips.h5"])
    #expect(told.output.hasPrefix("ok: images can be read\n"))
    #expect(told.output.hasSuffix("clips.h5: 12 frames, 12 faces, well-formed\n"))
    #expect(told.errors == "")
  }

  @Test(
    .enabled(if: Workbench.hasTerminals, "there is no script(1)"))
  func `on a terminal errors are coloured, unless NO_COLOR is set`() throws {
    #expect(try bench.terminal("inspect no.h5").output.hasPrefix("\u{1B}[1;31merror:\u{1B}[0m "))
    let plain = try bench.terminal("inspect no.h5", environment: ["NO_COLOR": "1"])
    #expect(plain.output.hasPrefix("error: "))
    let dumb = try bench.terminal("inspect no.h5", environment: ["TERM": "dumb"])
    #expect(dumb.output.hasPrefix("error: "))
  }

  @Test(
    .enabled(if: Workbench.hasTerminals, "there is no script(1)"))
  func `on a terminal a long command shows a bar, and erases it before further output`() throws {
    let result = try bench.terminal("animate good.h5 -o clips.h5 --frames-per-clip 100")
    #expect(result.status == 0)
    #expect(result.output.hasPrefix("Animating ["))
    #expect(result.output.contains("/2400 frames"))
    #expect(result.output.contains("\r\u{1B}[Kclips.h5: 24 clips, 2400 frames, "))
  }

  @Test(
    .enabled(if: Workbench.hasTerminals && Material.hasModels, "there is no script(1) or no model"))
  func `on a terminal evaluate names its phases`() throws {
    try Material.dataset(bench.url("long.h5"), frames: 200)
    let result = try bench.terminal("evaluate long.h5 -o run")
    #expect(result.status == 0)
    #expect(result.output.contains("Hashing ["))
    #expect(result.output.contains("Evaluating ["))
    #expect(result.output.contains("/200 frames"))
    #expect(result.output.hasSuffix("report: run/report.html\r\n"))
  }
}
