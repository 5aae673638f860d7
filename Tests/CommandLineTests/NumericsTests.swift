import Foundation
import Platform
import Records
import TestSupport
import Testing

/// The instruction set of the kernels, which `FACEGAUGE_KERNELS` limits.
@Suite(
  "Numerics on the command line", .serialized,
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct NumericsTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("made.h5"), frames: 12, differ: true)
  }

  private func run(_ name: String, kernels: String) throws -> Record {
    let result = try bench.facegauge(
      ["evaluate", "made.h5", "-o", name, "--resamples", "0"],
      environment: ["FACEGAUGE_KERNELS": kernels])
    #expect(result.status == 0, "\(result.errors)")
    return try Record(json: bench.bytes("\(name)/record.json"), source: name)
  }

  @Test func `a record names the kernels, and a comparison those that differ`() throws {
    #expect(try run("base", kernels: "").host.kernels != nil)
    let record = try run("candidate", kernels: "baseline")
    #expect(record.host.kernels == "baseline")
    #expect(record.host.environment["FACEGAUGE_KERNELS"] == "baseline")
    #expect(try bench.text("candidate/report.md").contains("| Kernels | baseline |"))
    for name in ["base", "candidate"] {
      let result = try bench.facegauge(["compare", "base", name, "-o", "to \(name)", "--json"])
      let isNoted = result.output.contains("computed with different numerics")
      let levels = try run("again \(name)", kernels: "").host.kernels
      #expect(isNoted == (name == "candidate" && levels != "baseline"), "\(result.errors)")
    }
  }

  @Test func `predictions name the kernels they were computed with, and so do runs of them`() throws
  {
    let own = try #require(try run("base", kernels: "").host.kernels)
    let baseline = try run("candidate", kernels: "baseline")
    let inspected = try bench.facegauge(["inspect", "candidate/predictions.h5"])
    #expect(inspected.output.contains(/kernels +baseline\n/), "\(inspected.output)")
    #expect(inspected.output.contains(baseline.host.blasCore))
    for name in ["base", "candidate"] {
      let result = try bench.facegauge([
        "evaluate", "made.h5", "--predictions", "\(name)/predictions.h5", "-o", "\(name) again",
        "--resamples", "0",
      ])
      #expect(result.status == 0, "\(result.errors)")
      let copy = try bench.facegauge(["inspect", "\(name) again/predictions.h5"])
      #expect(copy.output.contains("kernels"))
    }
    let record = try Record(
      json: bench.bytes("candidate again/record.json"), source: "candidate again")
    #expect(record.options["kernels"] == "baseline")
    #expect(record.options["blas-core"] == baseline.host.blasCore)
    let compared = try bench.facegauge(
      ["compare", "base again", "candidate again", "-o", "to", "--json"])
    let isNoted = compared.output.contains("computed with different numerics (kernels")
    #expect(isNoted == (own != "baseline"), "\(compared.output)")
  }

  @Test(arguments: [
    ["evaluate", "made.h5", "-o", "run"],
    ["sweep", "made.h5", "-o", "run", "--threshold", "min-face-detection-confidence=0.4,0.6"],
    ["profile", "made.h5", "-o", "run"], ["models", "plan"],
    ["explain", "made.h5", "--index", "0"],
  ])
  func `kernels that the processor lacks are refused`(words: [String]) throws {
    try expectFailure(
      bench, words, status: 69,
      "cannot compute with FACEGAUGE_KERNELS=z80: expected one of baseline",
      environment: ["FACEGAUGE_KERNELS": "z80"])
  }

  @Test func `a run goes on with the kernels that began it`() throws {
    try Material.dataset(bench.url("long.h5"), frames: 900, width: 640, height: 480)
    let words = ["evaluate", "long.h5", "-o", "run"]
    let stopped = try bench.facegauge(words) { process in
      try bench.wait { bench.exists("run.partial/segments/0.h5") || !process.isRunning }
      kill(process.processIdentifier, SIGKILL)
    }
    try #require(stopped.isSignal)
    // A processor may have no others.
    if try run("own", kernels: "").host.kernels != "baseline" {
      try expectFailure(
        bench, words + ["--resume"], status: 65, "expected numerics kernels ",
        environment: ["FACEGAUGE_KERNELS": "baseline"])
    }
    #expect(try bench.facegauge(words + ["--resume"]).status == 0)
  }
}
