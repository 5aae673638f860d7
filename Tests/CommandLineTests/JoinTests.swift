import Foundation
import Platform
import Records
import TestSupport
import Testing

@Suite(
  "Shards on the command line", .serialized,
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct JoinTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
  }

  private func shard(
    _ index: String, _ words: [String] = [], environment: [String: String] = [:],
    whileRunning: (Process) throws -> Void = { _ in }
  ) throws -> ProcessResult {
    try bench.facegauge(
      ["evaluate", "made.h5", "-o", "run", "--resamples", "0", "--shard", index] + words,
      environment: environment, whileRunning: whileRunning)
  }

  private func metrics(_ run: String) throws -> [Records.Measurement] {
    try Record(json: bench.bytes("\(run)/record.json"), source: run).measurements
      .filter { !$0.name.hasPrefix("latency.") }
  }

  @Test func `an array job names its shard, and a join is a run with its gates' exit status`()
    throws
  {
    try Material.dataset(bench.url("made.h5"), frames: 20)
    try bench.write(
      Material.gates("detection.recall@score", "at_least", 0.99), to: "gates.json")
    let gates = ["--gates", "gates.json"]
    try expectFailure(bench, ["join", "run"], status: 66, "cannot read run.shards/plan.json")
    let first = try shard("auto/3", gates, environment: ["SLURM_ARRAY_TASK_ID": "2"])
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.output == "shard 2 of 3: 7 frames in run.shards/00002.h5\n")
    let there = try bench.contents().keys.filter {
      $0.hasPrefix("run") && !$0.contains("/.")
    }.sorted()
    #expect(there == ["run.shards", "run.shards/00002.h5", "run.shards/plan.json"])
    #expect(try bench.facegauge(["join", "run", "--missing"]).output == "0-1\n")
    let asJSON = try bench.facegauge(["join", "run", "--missing", "--json"])
    #expect(asJSON.output.contains("\"reason\" : \"no file\""))
    try expectFailure(
      bench, ["join", "run"], status: 65,
      "found 2 faults: 00000.h5 (no file), 00001.h5 (no file); shards to run again: 0-1")
    #expect(try shard("0/3", gates).status == 0)
    #expect(try shard("1/3", gates).status == 0)
    #expect(try shard("1/3", gates).output.contains("which was there already"))
    #expect(try bench.facegauge(["join", "run", "--missing"]).output == "")
    let joined = try bench.facegauge(["join", "run"])
    let whole = try bench.facegauge(
      ["evaluate", "made.h5", "-o", "whole", "--resamples", "0"] + gates)
    #expect(joined.status == 2 && whole.status == 2, "\(joined.errors)")
    #expect(try metrics("run") == metrics("whole"))
    for file in ["record.json", "predictions.h5", "report.html", "report.md", "junit.xml"] {
      #expect(bench.exists("run/\(file)"))
    }
    try expectFailure(bench, ["join", "run"], status: 73, "it exists already")
    #expect(try bench.facegauge(["join", "run", "--force"]).status == 2)
    try FileManager.default.moveItem(at: bench.url("made.h5"), to: bench.url("moved.h5"))
    try expectFailure(
      bench, ["join", "run", "--force"], status: 66,
      "cannot join run: expected the dataset at made.h5, the path that the shards were given")
    let moved = try bench.facegauge(["join", "run", "--force", "--dataset", "moved.h5"])
    #expect(moved.status == 2, "\(moved.errors)")
  }

  @Test func `options that no part of a run can have are refused`() throws {
    try Material.dataset(bench.url("made.h5"), frames: 3)
    func refused(_ words: [String], _ message: String) throws {
      try expectFailure(
        bench, ["evaluate", "made.h5", "-o", "run"] + words, status: 64, message)
    }
    try refused(["--shard", "3/3"], "invalid value '3/3' for '--shard'")
    try refused(["--shard", "0/3", "--mode", "live"], "'--mode live'")
    try refused(["--shard", "0/3", "--resume"], "'--resume'")
    try refused(["--shard", "0/3", "--predictions", "p.h5"], "'--predictions'")
    try refused(["--mixed-numerics"], "'--mixed-numerics' requires '--shard'")
    try expectFailure(
      bench, ["evaluate", "made.h5", "-o", "run", "--shard", "auto/3"], status: 64,
      "found none",
      environment: [
        "SLURM_ARRAY_TASK_ID": "", "JOB_COMPLETION_INDEX": "", "AWS_BATCH_JOB_ARRAY_INDEX": "",
        "FACEGAUGE_SHARD": "",
      ])
  }

  @Test func `a machine that computes otherwise is refused with what to do`() throws {
    try Material.dataset(bench.url("made.h5"), frames: 4)
    let first = ["OPENBLAS_CORETYPE": "Nehalem"]
    let other = ["OPENBLAS_CORETYPE": "Core2"]
    #expect(try shard("0/2", environment: first).status == 0)
    try expectFailure(
      bench,
      ["evaluate", "made.h5", "-o", "run", "--resamples", "0", "--shard", "1/2"], status: 69,
      "OPENBLAS_CORETYPE=Nehalem", environment: other)
    try expectFailure(
      bench,
      ["evaluate", "made.h5", "-o", "run", "--resamples", "0", "--shard", "1/2"], status: 69,
      "FACEGAUGE_KERNELS=", environment: first.merging(["FACEGAUGE_KERNELS": "none"]) { $1 })
    let mixed = try shard("1/2", ["--mixed-numerics"], environment: other)
    #expect(mixed.status == 0, "\(mixed.errors)")
    #expect(try bench.facegauge(["join", "run"]).status == 0)
    let record = try Record(json: bench.bytes("run/record.json"), source: "run")
    #expect(record.notes.contains { $0.contains("different numerics (--mixed-numerics)") })
    #expect(record.host.blasCore == "Nehalem")
    let inspected = try bench.facegauge(["inspect", "run/predictions.h5", "--json"]).output
    #expect(inspected.contains(" and Nehalem\""), "\(inspected)")
  }

  @Test func `shards that are killed at any moment leave nothing that is joined, and heal`() throws
  {
    try Material.dataset(bench.url("made.h5"), frames: 60, width: 640, height: 480)
    for delay in [0, 20, 60, 120, 200, 300, 450, 600] {
      let killed = try shard("1/2") { process in
        Thread.sleep(forTimeInterval: Double(delay) / 1000)
        kill(process.processIdentifier, SIGKILL)
      }
      guard killed.isSignal else { break }
      let names = try bench.contents().keys.filter { $0.hasSuffix(".h5") && $0.hasPrefix("run") }
      #expect(names.isEmpty || names == ["run.shards/00001.h5"])
    }
    #expect(try shard("1/2").status == 0)
    #expect(try shard("0/2").status == 0)
    #expect(try bench.facegauge(["join", "run"]).status == 0)
    #expect(
      try bench.facegauge(["evaluate", "made.h5", "-o", "whole", "--resamples", "0"]).status == 0)
    #expect(try metrics("run") == metrics("whole"))
  }

  @Test func `parts that are made in other places and copied to one folder are joined`() throws {
    try Material.dataset(bench.url("made.h5"), frames: 12)
    let line = """
      for shard in 0 1 2; do
        mkdir -p place$shard/run.shards store && cp made.h5 place$shard
        if [ -e store/plan.json ]; then cp store/plan.json place$shard/run.shards; fi
        (cd place$shard && $facegauge evaluate made.h5 -o run --resamples 0 --shard $shard/3) || exit
        cp place$shard/run.shards/*.* store
      done
      mkdir run.shards && cp store/* run.shards && $facegauge join run
      """
    let joined = try bench.shell(line)
    #expect(joined.status == 0, "\(joined.errors)")
    #expect(
      try bench.facegauge(["evaluate", "made.h5", "-o", "whole", "--resamples", "0"]).status == 0)
    #expect(try metrics("run") == metrics("whole"))
  }

  @Test func `the arguments of a plan are no command line`() throws {
    try Material.dataset(bench.url("made.h5"), frames: 4)
    #expect(try shard("0/1", ["--mode", "video"]).status == 0)
    let plan = try bench.text("run.shards/plan.json")
    #expect(plan.contains("\"name\" : \"mode\"") && plan.contains("\"value\" : \"video\""))
    for (known, other) in [
      ("\"video\"", "\"--help\""), ("\"mode\"", "\"--help\""), ("video", "vidoe"),
    ] {
      try bench.write(plan.replacingOccurrences(of: known, with: other), to: "run.shards/plan.json")
      for words in [["join", "run"], ["join", "run", "--missing"]] {
        let refused = try bench.facegauge(words)
        #expect(refused.status == 65)
        #expect(refused.output.isEmpty && !refused.errors.contains("USAGE"), "\(refused.errors)")
        #expect(refused.errorLines.count == 1)
      }
    }
  }

  @Test(.timeLimit(.minutes(60)))
  func `a call that fails ends a shard or a join with 75 where it may pass, and only there`() throws
  {
    try Material.dataset(bench.url("made.h5"), frames: 3)
    let walk = try ProcessResult(
      running: "/usr/bin/env",
      [
        "python3", Checkout.root.appending(path: "Tests/Scale/shard_faults.py").path,
        Workbench.program, bench.url("made.h5").path, "--samples", "4", "--command",
        "evaluate --shard", "--command", "join",
      ])
    #expect(walk.status == 0, "\(walk.output)")
  }

  @Test func `two attempts at one shard at once both succeed`() throws {
    try Material.dataset(bench.url("made.h5"), frames: 30)
    let line = """
      for shard in 0 0 1 1; do
        $facegauge evaluate made.h5 -o run --resamples 0 --force --shard $shard/2 & jobs="$jobs $!"
      done
      for job in $jobs; do wait $job || exit 1; done
      """
    let both = try bench.shell(line)
    #expect(both.status == 0, "\(both.errors)")
    let files = try bench.contents().keys.filter {
      $0.hasPrefix("run.shards/") && !$0.contains("/.")
    }.sorted()
    #expect(files == ["run.shards/00000.h5", "run.shards/00001.h5", "run.shards/plan.json"])
    #expect(try bench.facegauge(["join", "run"]).status == 0)
  }
}
