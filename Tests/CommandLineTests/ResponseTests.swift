import FaceCore
import Foundation
import TestSupport
import Testing

@Suite struct ResponseTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test(
    .enabled(if: Shared.faceKit != nil, "FACEGAUGE_SHARED has no reference/ict-facekit"))
  func `MediaPipe's models open the mouth of rendered heads, and the folder has its reports`()
    throws
  {
    let kit = try #require(Shared.faceKit).url.path
    let made = try bench.facegauge([
      "render", "--design", "random", "--people", "12", "--images-per-person", "20", "--size",
      "192",
      "--from", kit, "--identities", "4", "-o", "faces.h5",
    ])
    #expect(made.status == 0, "\(made.errors)")
    let run = try bench.facegauge(["evaluate", "faces.h5", "-o", "run", "--resamples", "0"])
    #expect(run.status == 0, "\(run.errors)")
    let result = try bench.facegauge(["response", "run", "-o", "out", "--resamples", "100"])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    #expect(lines[0].hasPrefix("predictions of run on rendered random: "))
    #expect(lines[0].hasSuffix(" faces, 12 subjects"), "\(lines[0])")
    let jaw = try #require(lines.first { $0.contains(" jawOpen ") })
    #expect(jaw.contains("jawOpen              0.") || jaw.contains(" 0.8"), "\(jaw)")
    #expect(lines.contains { $0.hasPrefix("note: The heads are rendered") })
    #expect(try Schema.problems(ofFile: bench.text("out/response.json").utf8) == [])
    #expect(bench.exists("out/images/weak-1.jpg"))
    let page = try bench.text("out/report.html")
    #expect(page.contains("How much a prediction (row) moves with a label (column)"))
    #expect(page.contains("What a calibration gains"))
    #expect(try bench.text("out/report.md").contains("Each coefficient"))
    let again = try bench.facegauge(["response", "run", "-o", "out"])
    #expect(again.status == 73 && again.errorLines.count == 1)
    let replaced = try bench.facegauge([
      "response", "run", "-o", "out", "--resamples", "0", "--force", "--json",
    ])
    #expect(replaced.status == 0 && replaced.errors == "", "\(replaced.errors)")
    #expect(try Schema.problems(ofFile: replaced.output.utf8) == [])
    #expect(try !bench.text("out/report.html").contains("How much a prediction (row)"))
    try bench.write(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [{"metric": "response.gain", "#
        + #""slice": "coefficient=jawOpen", "direction": "at_least", "limit": 2}]}"#,
      to: "gates.json")
    let gated = try bench.facegauge([
      "response", "run", "--base", "run", "--gates", "gates.json", "--resamples", "50", "-o",
      "gated",
    ])
    #expect(try bench.shell("cp -r run base").status == 0)
    try expectFailure(
      bench, ["response", "run", "--base", "base", "-o", "base", "--force"], status: 73, "base")
    #expect(bench.exists("base/record.json") && bench.exists("base/predictions.h5"))
    #expect(gated.status == 2 && gated.errors == "", "\(gated.errors)")
    #expect(gated.output.contains("gate fail: response.gain in coefficient=jawOpen is "))
    #expect(gated.output.contains("Against run 0 of "))
    #expect(try Schema.problems(ofFile: bench.text("gated/response.json").utf8) == [])
    #expect(try bench.text("gated/report.html").contains("Differences from run"))
    let index = try bench.facegauge(["report", "--index", "out", "-o", "index"])
    #expect(index.status == 0 && index.errors == "", "\(index.errors)")
    #expect(try bench.text("index/index.html").contains("predictions of run on rendered random"))
  }

  @Test func `a dataset in place of a run is refused with what makes a run of it`() throws {
    try bench.write(try Material.image(), to: "a.jpg")
    try expectFailure(
      bench, ["response", "a.jpg", "-o", "no"], status: 65,
      "cannot read a.jpg: expected the folder of a run")
    #expect(!bench.exists("no") && !bench.exists("no.partial"))
  }
}
