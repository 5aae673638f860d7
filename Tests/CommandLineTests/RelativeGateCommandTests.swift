import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite(
  "profile --against", .serialized,
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct RelativeGateCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.clip(bench.url("clip.h5"), microseconds: (0..<12).map { $0 * 40_000 })
  }

  private func profile(_ words: String...) throws -> ProcessResult {
    try bench.facegauge(["profile", "clip.h5", "--mode", "image", "--repeats", "4"] + words)
  }

  @Test func `a base that cannot be timed ends the command before anything else is done`() throws {
    try bench.write("#!/bin/sh\necho 'no such thing here' >&2; exit 64\n", to: "old")
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: bench.url("old").path)
    try bench.write("{}", to: "other.json")
    for (words, status, message) in [
      (["--against", "none"], 66, "cannot time against none: expected a program or a run"),
      (["--against", "clip.h5"], 65, "expected a program or a run, found neither"),
      (["--against", "old"], 65, "no such thing here"),
      (["--against", "other.json"], 65, "other.json"),
      (["--tolerance", "0.1"], 64, "'--tolerance' requires"),
      (["--against", "none", "--max-pairs", "100"], 64, "--max-pairs"),
    ] as [([String], Int32, String)] {
      try expectFailure(
        bench, ["profile", "clip.h5", "-o", "run"] + words, status: status, message)
    }
  }

  @Test func `a stored run as base is advice, or evaluated where that is asked for`() throws {
    #expect(try profile("-o", "base").status == 0)
    let advised = try profile("-o", "advised", "--against", "base")
    #expect(advised.status == 0, "\(advised.errors)")
    #expect(advised.output.contains("note: Against the stored run base"))
    let record = try Record(json: bench.bytes("advised/record.json"), source: "record.json")
    #expect(record.gates.isEmpty)
    #expect(try bench.text("advised/report.md").contains("against base, advisory"))
    // On a quiet machine a stage is not eleven times as slow, and one is ten times as fast.
    let passed = try profile(
      "-o", "passed", "--against", "base", "--stored", "gate", "--tolerance", "10")
    try expectVerdict(passed, "passed", status: 0, "gate pass: detect.infer takes ")
    try makeFaster("base/record.json", by: 10)
    let failed = try profile(
      "-o", "failed", "--against", "base/record.json", "--stored", "gate", "--tolerance", "1")
    try expectVerdict(failed, "failed", status: 2, "gate fail: total takes ")
    #expect(failed.output.contains("note: --tolerance 1 allows a stage to take 100 % longer"))
    let gate = try #require(
      Record(json: bench.bytes("failed/record.json"), source: "record.json").gates.first {
        $0.stage == "total"
      })
    let (value, base) = (try #require(gate.value), try #require(gate.base))
    #expect(value > 2 * base)
  }

  /// Where the machine was noisy in one of the runs, every gate is inconclusive, whatever the times are.
  private func expectVerdict(
    _ result: ProcessResult, _ run: String, status: Int32, _ line: String
  ) throws {
    let noise = try ["base", run].flatMap { name in
      let record = try Record(json: bench.bytes("\(name)/record.json"), source: name)
      return record.profile?.machine.noise ?? []
    }
    #expect(
      result.status == (noise.isEmpty ? status : 3), "\(noise) \(result.output)\(result.errors)")
    if noise.isEmpty {
      #expect(result.output.contains(line), "\(result.output)")
    } else {
      let gates = result.output.split(separator: "\n").filter { $0.hasPrefix("gate ") }
      #expect(!gates.isEmpty && gates.allSatisfy { $0.hasPrefix("gate inconclusive: ") })
    }
  }

  @Test func `a stored run that cannot evaluate decides nothing`() throws {
    #expect(try profile("-o", "base").status == 0)
    let few = try bench.facegauge(
      ["profile", "clip.h5", "--mode", "image", "-o", "few", "--against", "base"]
        + ["--stored", "gate", "--tolerance", "10"])
    #expect(few.status == 3, "\(few.output)\(few.errors)")
    #expect(few.output.contains("gate inconclusive: No stage ran in 30 frames of both runs."))
    let other = try bench.facegauge(
      ["profile", "clip.h5", "--mode", "video", "-o", "other", "--against", "base"]
        + ["--repeats", "4", "--stored", "gate", "--tolerance", "10"])
    #expect(other.status == 3, "\(other.output)\(other.errors)")
    #expect(other.output.contains("it is of another mode"))
    let base = try Record(json: bench.bytes("base/record.json"), source: "base")
    // A processor may have no other kernels.
    guard base.host.kernels != "baseline" else { return }
    let slower = try bench.facegauge(
      ["profile", "clip.h5", "--mode", "image", "-o", "slower", "--against", "base"]
        + ["--repeats", "4", "--stored", "gate", "--tolerance", "10"],
      environment: ["FACEGAUGE_KERNELS": "baseline"])
    #expect(slower.status == 3, "\(slower.output)\(slower.errors)")
    #expect(slower.output.contains("it is of another instruction set of kernels"))
  }

  /// Divides all times of a record's samples.
  private func makeFaster(_ name: String, by factor: Int) throws {
    var record = try #require(
      JSONSerialization.jsonObject(with: Data(bench.bytes(name))) as? [String: Any])
    var profile = try #require(record["profile"] as? [String: Any])
    let samples = try #require(profile["samples"] as? [[String: Any]])
    profile["samples"] = try samples.map { sample in
      var sample = sample
      let times = try #require(sample["nanoseconds"] as? [Int])
      sample["nanoseconds"] = times.map { $0 / factor }
      return sample
    }
    record["profile"] = profile
    try JSONSerialization.data(withJSONObject: record).write(to: bench.url(name))
  }
}
