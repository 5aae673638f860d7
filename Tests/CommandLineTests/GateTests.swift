import Foundation
import Platform
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

  @Test func `a gate that passes is 0, one that fails is 2, one with too few frames is 3`() throws {
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

  @Test(arguments: [
    ("faces.failure_to_acquire", "at_most", 5.0), ("faces.precision", "at_least", -1),
  ])
  func `a limit that the metric cannot miss is refused`(
    metric: String, side: String, limit: Double
  ) throws {
    let result = try evaluate(Material.gates(metric, side, limit))
    #expect(result.status == 65)
    #expect(result.errors.contains("expected a limit that \(metric) can miss, from 0 to 1, found"))
  }

  @Test(arguments: [#""direction": "at_most", "limit": 3.5"#, #""max_worsening": 3.5"#])
  func `an error of landmarks in per cent is refused`(keys: String) throws {
    let json = #"{"metric": "landmarks.nme.interocular.conditional", \#(keys)}"#
    let result = try evaluate(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [\#(json)]}"#)
    #expect(result.status == 65)
    #expect(result.errors.contains("below 1 (5 % is 0.05), found 3.5"), "\(result.errors)")
  }

  @Test(arguments: [
    (#""direction": "at_least", "limit": 95"#, "a limit that faces.recall can keep, from 0 to 1"),
    (#""max_worsening": 2"#, "max_worsening below 1, as faces.recall is from 0 to 1, found 2"),
    (
      #""max_relative_worsening": 5"#, "as faces.recall gets no lower than 0, found 5 (5 % is 0.05)"
    ),
  ])
  func `what a metric's range decides already is refused`(keys: String, text: String) throws {
    let json = #"{"metric": "faces.recall", \#(keys)}"#
    let result = try evaluate(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [\#(json)]}"#)
    #expect(result.status == 65)
    #expect(result.errors.contains("cannot read 'gates[0]' in gates.json: expected"))
    #expect(result.errors.contains(text), "\(result.errors)")
  }

  @Test(arguments: [
    ("landmarks.nme.interocular.conditional", "twice the base"),
    ("faces.false_per_image", "twice the base"), ("lag.ms", "the magnitude of the base"),
  ])
  func `per cent as a share of a metric is refused`(metric: String, bound: String) throws {
    let json = #"{"metric": "\#(metric)", "max_relative_worsening": 5}"#
    let result = try evaluate(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [\#(json)]}"#)
    #expect(result.status == 65)
    #expect(result.errors.contains("\(bound), found 5 (5 % is 0.05;"), "\(result.errors)")
  }

  @Test(arguments: [
    #""metric": "faces.recall", "max_worsening": 0.5, "max_relative_worsening": 0.99"#,
    #""metric": "landmarks.nme.interocular.conditional", "max_relative_worsening": 1"#,
    #""metric": "faces.recall", "direction": "at_least", "limit": 1"#,
    #""metric": "landmarks.nme.interocular.conditional", "direction": "at_most", "limit": 0.5"#,
    #""metric": "detection.fp_per_image@score", "direction": "at_most", "limit": 95"#,
  ])
  func `what a run can miss is not refused for its range`(keys: String) throws {
    let result = try evaluate(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [{\#(keys)}]}"#)
    #expect(!result.errors.contains("'gates[0]' in gates.json"), "\(result.errors)")
  }

  @Test func `--inconclusive pass makes 0 of 3, and leaves 2`() throws {
    let few = Material.gates("latency.total.p99", "at_most", 60_000)
    #expect(try evaluate(few, ["--inconclusive", "pass"]).status == 0)
    #expect(try evaluate(few, ["--inconclusive", "fail"]).status == 3)
    let wrong = Material.gates("detection.recall@score", "at_least", 0.5)
    #expect(try evaluate(wrong, ["--inconclusive", "pass"]).status == 2)
  }

  @Test func `a failed gate beats an inconclusive one, and an undefined value fails`() throws {
    let both = """
      {"schema": "facegauge.gates", "version": 2, "gates": [
        {"metric": "latency.total.p99", "direction": "at_most", "limit": 60000},
        {"metric": "detection.precision@score", "direction": "at_least", "limit": 0.1}]}
      """
    let result = try evaluate(both)
    #expect(result.status == 2)
    #expect(result.output.contains("gate fail: detection.precision@score is undefined"))
  }

  @Test func `the gates file that help shows is read`() throws {
    let help = try bench.facegauge(["help", "evaluate"]).output
    let json = try #require(help.firstMatch(of: /\{"schema"[^\]]*\]\}/)).0
    let result = try evaluate(String(json))
    #expect(result.status == 2)
    #expect(result.output.contains("gate fail: faces.f1 is "))
  }

  @Test func `a run whose gate fails is whole, and its reports name the gate`() throws {
    _ = try evaluate(Material.gates("detection.recall@score", "at_least", 0.5))
    let record = try Record(json: bench.bytes("run/record.json"), source: "record.json")
    #expect(record.gates.map(\.verdict) == [.fail])
    #expect(try bench.text("run/junit.xml").contains("<failure"))
    #expect(try bench.text("run/report.md").contains("detection.recall@score"))
  }

  private func file(_ gates: String) -> String {
    "{\"schema\": \"facegauge.gates\", \"version\": 2, \"gates\": [\(gates)]}"
  }

  @Test func `changes are evaluated against a base run or its record, and the record names it`()
    throws
  {
    try #require(try bench.facegauge(["evaluate", "good.h5", "-o", "base"]).status == 0)
    let gates = file(
      """
      {"metric": "detection.recall@score", "max_worsening": 0},
      {"metric": "detection.fp_per_image@score", "max_relative_worsening": 1}
      """)
    for base in ["base", "base/record.json"] {
      let result = try evaluate(gates, ["--base", base])
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      #expect(
        result.output.contains(
          "gate pass: detection.recall@score is 0, equal to the base's 0, within the limit of"))
      let record = try Record(json: bench.bytes("run/record.json"))
      #expect(record.options["base"] == base)
      #expect(record.gates.allSatisfy { $0.base != nil })
    }
    let slower = try Record(json: bench.bytes("base/record.json"))
    var faster = slower
    for index in faster.measurements.indices
    where faster.measurements[index].name == "detection.recall@score" {
      faster.measurements[index].value = 1
      faster.measurements[index].interval = .none("planted")
    }
    faster.options["num-faces"] = "7"
    try bench.write(faster.json(), to: "better.json")
    let failing = try evaluate(gates, ["--base", "better.json"])
    #expect(failing.status == 2)
    #expect(failing.output.contains("beyond the limit of at most 0 worse than the base."))
    #expect(failing.output.contains("note: Options differ from the base's: num-faces 7 to 1."))
    #expect(try bench.text("run/report.md").contains("| Base | Change |"))
    #expect(try bench.text("run/junit.xml").contains("at most 0 worse than the base"))
  }

  @Test
  func `a change of a latency is inconclusive, however large, and names the deciding command`()
    throws
  {
    try #require(try bench.facegauge(["evaluate", "good.h5", "-o", "base"]).status == 0)
    var other = try Record(json: bench.bytes("base/record.json"))
    for index in other.measurements.indices
    where other.measurements[index].name == "latency.total.p50" {
      other.measurements[index].value = 1e-6
      other.measurements[index].interval = .none("planted")
    }
    try bench.write(other.json(), to: "faster.json")
    let gates = file(#"{"metric": "latency.total.p50", "max_relative_worsening": 0.1}"#)
    for base in ["base", "faster.json"] {
      let result = try evaluate(gates, ["--base", base])
      #expect(result.status == 3)
      #expect(result.output.contains("gate inconclusive: latency.total.p50 is "))
      #expect(result.output.contains("'facegauge profile --against' and 'facegauge track'"))
    }
    try #require(try bench.facegauge(["evaluate", "good.h5", "-o", "candidate"]).status == 0)
    let compared = try bench.facegauge([
      "compare", "base", "candidate", "--gates", "gates.json", "--resamples", "100",
    ])
    #expect(compared.status == 3)
    #expect(compared.output.contains("gate inconclusive: latency.total.p50 is "))
  }

  @Test func `compare evaluates changes by the interval of the difference, and reports them`()
    throws
  {
    try Material.dataset(bench.url("twelve.h5"), frames: 12, differ: true)
    for run in ["base", "candidate"] {
      try #require(try bench.facegauge(["evaluate", "twelve.h5", "-o", run]).status == 0)
    }
    try bench.write(
      file(
        """
        {"metric": "detection.recall@score", "max_worsening": 0},
        {"metric": "detection.fp_per_image@score", "max_worsening": 0, "evaluated_by": "interval"},
        {"metric": "latency.total.p99", "direction": "at_most", "limit": 60000}
        """), to: "gates.json")
    let words = [
      "compare", "base", "candidate", "-o", "both", "--gates", "gates.json", "--resamples", "100",
      "--force",
    ]
    let result = try bench.facegauge(words, environment: ["GITHUB_STEP_SUMMARY": "summary.md"])
    #expect(result.status == 3 && result.errors == "", "\(result.errors)")
    #expect(
      result.output.contains(
        "gate pass: detection.recall@score is 0, equal to the base's 0 (95 % interval of the "
          + "difference 0 to 0), within the limit of at most 0 worse than the base."))
    #expect(result.output.contains("gate pass: detection.fp_per_image@score is "))
    #expect(try bench.facegauge(words + ["--inconclusive", "pass"]).status == 0)
    #expect(try bench.text("both/junit.xml").contains("<skipped message=\"latency.total.p99"))
    let summary = try bench.text("summary.md")
    #expect(summary.hasPrefix("# FaceGauge comparison: base → candidate\n"))
    #expect(summary.contains("\n## Gates\n") && summary.contains("| Base | Change |"))
    #expect(!summary.contains("## Provenance"))
  }

  @Test func `a slice that the run does not have fails as an error, and is named`() throws {
    let result = try evaluate(
      file(
        """
        {"metric": "detection.ap", "slice": "dark", "direction": "at_least", "limit": 0.1}
        """))
    #expect(result.status == 2)
    #expect(result.output.contains("detection.ap in dark was not measured, which fails"))
    #expect(result.output.contains("The run has no slice \"dark\"."))
    #expect(try bench.text("run/junit.xml").contains("<error type=\"no value\""))
  }

  @Test func `a base of another dataset is refused, and nothing is written`() throws {
    try Material.dataset(bench.url("other.h5"), frames: 2)
    try #require(try bench.facegauge(["evaluate", "other.h5", "-o", "base"]).status == 0)
    try bench.write(
      file("{\"metric\": \"detection.ap\", \"max_worsening\": 0}"), to: "gates.json")
    try expectFailure(
      bench, ["evaluate", "good.h5", "-o", "run", "--gates", "gates.json", "--base", "base"],
      status: 65,
      "cannot evaluate by base/record.json: expected a run on the dataset 'made' with SHA-256 ")
  }

  @Test func `the summary is appended to the file of GITHUB_STEP_SUMMARY, once a run`() throws {
    try bench.write(Material.gates("latency.total.p50", "at_most", 60_000), to: "gates.json")
    try bench.write("# What was there\n", to: "summary.md")
    let words = ["evaluate", "good.h5", "-o", "run", "--gates", "gates.json", "--force"]
    let environment = ["GITHUB_STEP_SUMMARY": "summary.md"]
    for round in 1...2 {
      let result = try bench.facegauge(words, environment: environment)
      #expect(result.status == 0 && result.errors == "", "\(result.errors)")
      let text = try bench.text("summary.md")
      #expect(text.hasPrefix("# What was there\n\n# FaceGauge evaluation: made\n"))
      for part in [
        "\n**✓ pass**: 1 of 1 gate passed\n", "\n| ✓ pass | `latency.total.p50` | all | ",
        "\n## Metrics\n",
      ] {
        #expect(text.components(separatedBy: part).count == round + 1, "\(part)")
      }
    }
    let json = try bench.facegauge(
      words + ["--json"], environment: ["GITHUB_STEP_SUMMARY": "new.md"])
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(json.output.utf8)) }
    #expect(try bench.text("new.md").hasPrefix("# FaceGauge evaluation: made\n"))
    _ = try bench.facegauge(words, environment: ["GITHUB_STEP_SUMMARY": ""])
  }

  @Test(
    arguments: [
      ("missing/summary.md", "No such file or directory"), (".", "Is a directory"),
      ("pipe", "No such device or address"), ("/dev/full", "No space left on device"),
    ])
  func `a summary that cannot be written is a warning, and the run is whole`(
    path: String, problem: String
  ) throws {
    #expect(try bench.shell("mkfifo pipe").status == 0)
    let result = try bench.facegauge(
      ["evaluate", "good.h5", "-o", "run"], environment: ["GITHUB_STEP_SUMMARY": path])
    #expect(result.status == 0)
    #expect(
      result.errors
        == "warning: cannot append the summary to \(path) of GITHUB_STEP_SUMMARY: \(problem)\n")
    #expect(bench.exists("run/record.json") && bench.exists("run/report.html"))
  }
}
