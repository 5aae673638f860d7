import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite(
  "Running modes", .serialized,
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct ModeTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  @Test(arguments: ["video", "live"])
  func `a clip whose times fall ends with status 65, by name`(mode: String) throws {
    try Material.clip(bench.url("clip.h5"), microseconds: [0, 40_000, 40_000])
    try expectFailure(
      bench, ["evaluate", "clip.h5", "-o", "run", "--mode", mode], status: 65,
      "expected ascending timestamps in sequence 0 'clip', found 40000 us after 40000 us in frame 2 "
        + "'frame-2'")
  }

  @Test func `every mode evaluates a clip without labels and notes it`() throws {
    try Material.clip(bench.url("clip.h5"), microseconds: [0, 40_000, 80_000])
    for mode in ["image", "video", "live"] {
      let result = try bench.facegauge(["evaluate", "clip.h5", "-o", mode, "--mode", mode])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("note: The dataset has no labels: "))
      #expect(result.output.contains(#/Losses per minute +undefined:/#))
      let record = try Record(json: bench.bytes("\(mode)/record.json"), source: mode)
      #expect(record.options["mode"] == mode)
      #expect(record.measurement("detection.ap")?.reason == "the dataset has no labels")
    }
  }

  @Test func `a gate on what needs labels fails a dataset without them`() throws {
    try Material.clip(bench.url("clip.h5"), microseconds: [0, 40_000])
    try bench.write(Material.gates("detection.recall@score", "at_least", 0), to: "gates.json")
    let result = try bench.facegauge(
      ["evaluate", "clip.h5", "-o", "run", "--gates", "gates.json", "--inconclusive", "pass"])
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.output.contains("gate fail: "))
  }
}
