import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite(
  "profile", .serialized,
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct ProfileTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.clip(bench.url("clip.h5"), microseconds: (0..<12).map { $0 * 40_000 })
  }

  private func profile(_ words: String...) throws -> ProcessResult {
    try bench.facegauge(["profile", "clip.h5", "-o", "run"] + words)
  }

  @Test func `a run has record, trace and reports, and prints what it found`() throws {
    let result = try profile("--repeats", "2", "--warm-up", "2")
    #expect(result.status == 0, "\(result.errors)")
    for line in ["24 steady frames", "First frame", "Cost of measuring", "trace: run/trace.json"] {
      #expect(result.output.contains(line))
    }
    for file in ["record.json", "trace.json", "report.html", "report.md", "junit.xml"] {
      #expect(bench.exists("run/\(file)"))
    }
    let report = try bench.text("run/report.md")
    for part in [
      "From the cold start to steady frames", "Operators of detect.infer", "Around the timing",
      "Time of frames along the run",
    ] {
      #expect(report.contains(part), "\(part)")
    }
    let record = try Record(json: bench.bytes("run/record.json"), source: "record.json")
    #expect(record.options["schedule"] == "closed")
    let machine = try #require(record.profile).machine
    #expect(machine.compiler.hasPrefix("Swift 6."))
    #expect(
      machine.noise.count == record.notes.count { $0.hasPrefix("The machine was noisy: ") })
  }

  @Test(
    arguments: [
      (["--budget", "total.p50=100s"], 0, "gate pass: "),
      (["--budget", "total.p50=1us"], 2, "gate fail: "),
      (["--budget", "pipeline.p50=100s"], 0, "gate pass: latency.pipeline.p50"),
      (["--budget", "total.p99=100s"], 3, "gate inconclusive: "),
      (["--budget", "total.p99=100s", "--inconclusive", "pass"], 0, "gate inconclusive: "),
      (["--budget", "total.p50=100s", "--budget", "detect.infer.p95=0.001ms"], 2, "gate fail: "),
      (["--mode", "image", "--budget", "detector_ran:total.p50=100s"], 0, "gate pass: "),
    ])
  func `budgets set the exit status`(words: [String], status: Int32, line: String) throws {
    let result = try bench.facegauge(["profile", "clip.h5", "-o", "run"] + words)
    #expect(result.status == status, "\(result.errors)")
    #expect(result.output.contains(line))
  }

  @Test func `a gates file counts frames too, here and in evaluate`() throws {
    try bench.write(
      """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "latency.total.p50", "direction": "at_most", "limit": 100000,
         "evaluated_by": "binomial", "confidence": 0.95}]}
      """, to: "gates.json")
    for command in ["profile", "evaluate"] {
      let result = try bench.facegauge(
        [command, "clip.h5", "-o", command, "--gates", "gates.json"])
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains("0 of 12 samples are over 100,000 ms, few enough"))
    }
  }

  @Test(
    arguments: [
      ("total.p95", "a budget such as total.p95=4ms"),
      ("total.p95=4", "a budget such as total.p95=4ms"),
      ("total.p95=-4ms", "a budget such as total.p95=4ms"),
      ("total.p95=0ms", "a budget such as total.p95=4ms"),
      ("totl.p95=4ms", "did you mean 'total.p95'"),
      ("total.p97=4ms", "a percentile of a stage such as total.p95"),
      ("trackd:total.p95=4ms", "did you mean 'tracked'"),
      ("a:b:total.p95=4ms", "one of the slices"),
    ])
  func `a wrong budget is refused with what is meant`(budget: String, message: String) throws {
    try expectFailure(
      bench, ["profile", "clip.h5", "-o", "run", "--budget", budget], status: 64, message)
  }

  @Test func `workers are of the offline schedule, and an existing run is kept`() throws {
    try expectFailure(
      bench, ["profile", "clip.h5", "-o", "run", "--jobs", "2"], status: 64,
      "'--jobs' requires '--schedule offline'")
    try expectFailure(
      bench, ["profile", "clip.h5", "-o", "run", "--schedule", "offline", "--jobs", "256"],
      status: 64, "expected at most")
    try expectFailure(
      bench, ["profile", "none.h5", "-o", "run"], status: 66, "none.h5")
    #expect(try profile("--schedule", "offline", "--jobs", "1").status == 0)
    try expectFailure(
      bench, ["profile", "clip.h5", "-o", "run"], status: 73, "--force replaces it")
    #expect(try profile("--schedule", "paced", "--fps", "500", "--force").status == 0)
  }

  @Test func `a broken image ends the run by name and leaves nothing`() throws {
    try Material.dataset(bench.url("broken.h5"), frames: 3, broken: [1])
    try expectFailure(
      bench, ["profile", "broken.h5", "-o", "run"], status: 65, "frame 1 'image-1': ")
  }
}
