import Foundation
import Records
import TestSupport
import Testing

@Suite(
  "Gates decide the exit status",
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct GateTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 4)
  }

  private func evaluate(_ gates: String, _ words: [String] = []) throws -> ProcessResult {
    try bench.write(gates, to: "gates.json")
    return try bench.facegauge(
      ["evaluate", "good.h5", "-o", "run", "--gates", "gates.json", "--force"] + words)
  }

  @Test("A gate that passes is 0, one that fails is 2, one with too few frames is 3")
  func verdicts() throws {
    let passing = try evaluate(Material.gates("latency.total.p50", "at_most", 60_000))
    #expect(passing.status == 0 && passing.errors == "")
    #expect(passing.output.contains("gate pass: latency.total.p50 is "))
    let failing = try evaluate(Material.gates("detection.recall@score", "at_least", 0.5))
    #expect(failing.status == 2 && failing.errors == "")
    #expect(failing.output.contains("gate fail: detection.recall@score is 0, below the limit"))
    let inconclusive = try evaluate(Material.gates("latency.total.p99", "at_most", 60_000))
    #expect(inconclusive.status == 3 && inconclusive.errors == "")
    #expect(inconclusive.output.contains("n is 4 and 100 are needed"))
  }

  @Test("--inconclusive pass makes 0 of 3, and leaves 2")
  func inconclusivePasses() throws {
    let few = Material.gates("latency.total.p99", "at_most", 60_000)
    #expect(try evaluate(few, ["--inconclusive", "pass"]).status == 0)
    #expect(try evaluate(few, ["--inconclusive", "fail"]).status == 3)
    let wrong = Material.gates("detection.recall@score", "at_least", 0.5)
    #expect(try evaluate(wrong, ["--inconclusive", "pass"]).status == 2)
  }

  @Test("A failed gate beats an inconclusive one, and an undefined value fails")
  func order() throws {
    let both = """
      {"schema": "facegauge.gates", "version": 1, "gates": [
        {"metric": "latency.total.p99", "direction": "at_most", "limit": 60000},
        {"metric": "detection.precision@score", "direction": "at_least", "limit": 0.1}]}
      """
    let result = try evaluate(both)
    #expect(result.status == 2)
    #expect(result.output.contains("gate fail: detection.precision@score is undefined"))
  }

  @Test("The gates file that help shows is read")
  func shown() throws {
    let help = try bench.facegauge(["help", "evaluate"]).output
    let json = try #require(help.firstMatch(of: /\{"schema"[^\]]*\]\}/)).0
    let result = try evaluate(String(json))
    #expect(result.status == 2)
    #expect(result.output.contains("gate pass: latency.total.p50"))
  }

  @Test("A run whose gate fails is whole, and its reports name the gate")
  func failedRun() throws {
    _ = try evaluate(Material.gates("detection.recall@score", "at_least", 0.5))
    let record = try Record(json: bench.bytes("run/record.json"), source: "record.json")
    #expect(record.gates.map(\.verdict) == [.fail])
    #expect(try bench.text("run/junit.xml").contains("<failure"))
    #expect(try bench.text("run/report.md").contains("detection.recall@score"))
  }
}
