import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite(
  "Shards of a sweep on the command line",
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct SweepJoinTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 12)
  }

  private func sweep(_ words: [String]) throws -> ProcessResult {
    try bench.facegauge(
      [
        "sweep", "good.h5", "--threshold", "min-face-detection-confidence=0.1:0.9:0.2",
        "--threshold", "min-suppression-threshold=0.3,0.5", "--one-at-a-time", "--resamples", "10",
        "--objective", "max coverage where fp_per_frame < 0",
      ] + words)
  }

  @Test func `an array job names its shard, and a join is the sweep with its exit status`() throws {
    let first = try bench.facegauge(
      [
        "sweep", "good.h5", "-o", "run", "--threshold", "min-face-detection-confidence=0.1,0.5",
        "--shard", "auto/3",
      ], environment: ["JOB_COMPLETION_INDEX": "2"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output == "shard 2 of 3: 4 frames in run.shards/00002.h5\n")
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run", "--shard", "0/3"], status: 65,
      "expected parts of sweep as before, found evaluate")
    for part in 0..<2 {
      #expect(try sweep(["-o", "parts", "--shard", "\(part)/3"]).status == 0)
    }
    let missing = try bench.facegauge(["join", "parts", "--missing", "--json"])
    #expect(missing.output.contains("\"ranges\" : \"2\""))
    #expect(missing.output.contains("\"coreHours\" : ") && missing.output.contains("\"limit\" : "))
    try expectFailure(
      bench, ["join", "parts"], status: 65,
      "found 1 fault: 00002.h5 (no file); shards to run again: 2")
    #expect(try sweep(["-o", "parts", "--shard", "2/3"]).status == 0)
    let joined = try bench.facegauge(["join", "parts"])
    let whole = try sweep(["-o", "whole"])
    #expect(joined.status == 3 && whole.status == 3, "\(joined.errors)")
    func result(_ run: String) throws -> Record {
      try Record(json: bench.bytes("\(run)/record.json"), source: run)
    }
    let (one, other) = (try result("parts"), try result("whole"))
    #expect(one.sweep?.settings == other.sweep?.settings && one.options == other.options)
    for (name, column) in other.sweep?.columns ?? [:] where name != "model_time" {
      #expect(one.sweep?.columns[name] == column, "\(name)")
    }
    for file in ["record.json", "report.html", "report.md", "junit.xml"] {
      #expect(bench.exists("parts/\(file)"))
    }
    try expectFailure(bench, ["join", "parts"], status: 73, "it exists already")
    #expect(try bench.facegauge(["join", "parts", "--force", "--json"]).status == 3)
  }

  @Test func `options that no part of a sweep can have are refused`() throws {
    func refused(_ words: [String], _ message: String) throws {
      try expectFailure(
        bench,
        [
          "sweep", "good.h5", "-o", "run", "--threshold", "min-face-detection-confidence=0.1,0.5",
        ] + words, status: 64, message)
    }
    try refused(["--shard", "3/3"], "invalid value '3/3' for '--shard'")
    try refused(["--shard", "0/3", "--resume"], "'--shard' cannot be combined with '--resume'")
    try refused(["--shard", "0/3", "--mode", "live"], "live mode")
    try refused(["--mixed-numerics"], "'--mixed-numerics' requires '--shard'")
  }
}
