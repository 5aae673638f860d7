import Foundation
import Platform
import Records
import TestSupport
import Testing

/// `facegauge track` with a tracker in shell, which puts a face where the labels of `Material.dataset` have one.
@Suite struct TrackTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("d.h5"), frames: 4)
    try bench.write(
      #"""
      echo '{"protocol":"facegauge.tracker","version":1,"name":"shell 1","inputs":["dataset"],"stages":["total"]}'
      while read -r line; do
        n=${line#*'"frame":'}; n=${n%%[,\}]*}
        echo '{"frame":'$n',"stages_ns":{"total":5},"faces":[{"box":[10,10,50,60],"score":0.9}]}'
      done
      """#, to: "tracker.sh")
  }

  @Test func `a tracker's predictions are evaluated like any others`() throws {
    let tracked = try bench.facegauge([
      "track", "d.h5", "--tracker", "sh tracker.sh", "-o", "p.h5", "--mode", "image",
    ])
    #expect(tracked.status == 0 && tracked.errors.isEmpty, "\(tracked.errors)")
    let result = try bench.facegauge(["evaluate", "d.h5", "--predictions", "p.h5", "-o", "run"])
    #expect(result.status == 0, "\(result.errors)")
    let record = try Record(json: bench.bytes("run/record.json"), source: "record.json")
    for name in ["faces.recall", "faces.precision"] {
      #expect(record.measurement(name)?.value == 1)
    }
    #expect(record.measurement("latency.total.p50")?.value == 5e-6)
    #expect(record.notes.contains { $0.contains("the output of shell 1") })
  }

  @Test func `a tracker that is missing, or has no file to write, ends with one line`() throws {
    try expectFailure(
      bench, ["track", "d.h5", "--tracker", "./none", "-o", "p.h5", "--mode", "image"],
      status: 65, "none")
    try expectFailure(
      bench,
      ["track", "d.h5", "--tracker", "sh tracker.sh", "--tracker", "sh tracker.sh", "-o", "p.h5"],
      status: 64, "--output")
  }

  @Test func `the last error line of a tracker is shown whole, and cannot steer the terminal`()
    throws
  {
    let reason = String(repeating: "why ", count: 300) + "\u{1b}[31m\u{E9} end"
    try bench.write("echo '\(reason)' >&2; exit 3\n", to: "failing.sh")
    let result = try bench.facegauge([
      "track", "d.h5", "--tracker", "sh failing.sh", "-o", "p.h5", "--mode", "image",
    ])
    #expect(result.status == 65)
    #expect(
      result.errorLines.first?.hasSuffix(
        String(repeating: "why ", count: 300) + "\\u{1b}[31m\u{E9} end") == true,
      "\(result.errors)")
  }

  private func gates(_ metric: String, _ share: String, to name: String) throws {
    try bench.write(
      #"{"schema": "facegauge.gates", "version": 2, "gates": [{"metric": "\#(metric)", "#
        + #""max_relative_worsening": \#(share)}]}"#, to: name)
  }

  /// A tracker whose time follows from the frame alone.
  private func timed(_ nanoseconds: Int, name: String) throws -> String {
    try bench.write(
      #"""
      echo '{"protocol":"facegauge.tracker","version":1,"name":"\#(name)","inputs":["dataset"],"stages":["find","total"]}'
      while read -r line; do
        n=${line#*'"frame":'}; n=${n%%[,\}]*}
        echo '{"frame":'$n',"stages_ns":{"find":'$((\#(nanoseconds) + n))',"total":'$((\#(nanoseconds) + 9000 + n))'},"faces":[]}'
      done
      """#, to: "\(name).sh")
    return "sh \(name).sh"
  }

  @Test func `two builds of a tracker pass or fail a gate by their times`() throws {
    let base = try timed(100_000, name: "base")
    let slower = try timed(112_000, name: "slower")
    try gates("latency.total.p50", "0.05", to: "gates.json")
    try gates("latency.find.p95", "0.3", to: "wide.json")
    let words = ["track", "d.h5", "--mode", "image", "--max-pairs", "192", "--tracker", base]
    for (candidate, file, status, line) in [
      (base, "gates.json", Int32(0), "gate pass: total takes "),
      (slower, "gates.json", 2, "gate fail: total takes "),
      (slower, "wide.json", 0, "gate pass: find.p95 takes "),
    ] {
      let result = try bench.facegauge(words + ["--tracker", candidate, "--gates", file])
      #expect(result.status == status && result.errorLines.isEmpty, "\(result.errors)")
      #expect(result.output.contains("\n\(line)"), "\(result.output)")
    }
    let json = try bench.facegauge(
      words + ["--tracker", slower, "--gates", "gates.json", "--json"],
      environment: ["GITHUB_STEP_SUMMARY": bench.url("summary.md").path])
    #expect(json.status == 2)
    let root = try #require(
      try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
    #expect(root["verdict"] as? String == "fail" && root["candidate"] as? String == "slower")
    #expect(root["pairs"] as? Int == 192 && root["starts"] as? Int == 12)
    #expect(try bench.text("summary.md").contains("total takes "))
    #expect(!FileManager.default.fileExists(atPath: bench.url("p.h5").path))
  }

  @Test(arguments: ["dataset", "image"])
  func `decoding in the times of one tracker alone is told, in JSON too`(form: String) throws {
    try bench.write(
      #"""
      echo '{"protocol":"facegauge.tracker","version":1,"name":"'$1'","inputs":["'$1'"],"stages":["total"]}'
      while read -r line; do
        n=${line#*'"frame":'}; n=${n%%[,\}]*}
        case $line in *_bytes*)
          count=${line#*'_bytes":'}; head -c ${count%%[,\}]*} >/dev/null ;;
        esac
        echo '{"frame":'$n',"stages_ns":{"total":5},"faces":[]}'
      done
      """#, to: "as.sh")
    func track(_ forms: [String], _ words: String...) throws -> String {
      let trackers = forms.enumerated().flatMap { place, form in
        ["--tracker", "sh as.sh \(form)", "-o", "\(place).h5"]
      }
      let result = try bench.facegauge(
        ["track", "d.h5", "--mode", "image", "--force"] + trackers + words)
      #expect(result.status == 0, "\(result.errors)")
      return result.output
    }
    let note = "its times include decoding, those of trackers that get pixels (rgb) do not"
    #expect(try track([form, "rgb"]).contains("\nnote: \(form): \(note)\n"))
    #expect(try track([form, "rgb"], "--json").contains("\"\(note)\""))
    #expect(try !track(["image", "dataset"]).contains("decoding"))
    #expect(try !track(["rgb", "rgb"]).contains("decoding"))
  }

  @Test func `predictions are written along with the verdict where they are asked for`() throws {
    let base = try timed(100_000, name: "base")
    try gates("latency.total.p50", "0.05", to: "gates.json")
    let result = try bench.facegauge([
      "track", "d.h5", "--mode", "image", "--max-pairs", "192", "--tracker", base, "-o", "a.h5",
      "--tracker", base, "-o", "b.h5", "--gates", "gates.json",
    ])
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.hasPrefix("base: 4 frames as dataset"))
    for name in ["a.h5", "b.h5"] {
      #expect(FileManager.default.fileExists(atPath: bench.url(name).path))
    }
  }

  @Test func `an interruption of the timing leaves the predictions, and says so`() throws {
    let base = try timed(1000, name: "base")
    let slow = try bench.text("base.sh").replacing("n=${line", with: "sleep 0.05; n=${line")
    try bench.write(slow, to: "base.sh")
    try gates("latency.total.p50", "0.05", to: "gates.json")
    let result = try bench.facegauge([
      "track", "d.h5", "--mode", "image", "--starts", "1", "--tracker", base, "-o", "a.h5",
      "--tracker", base, "-o", "b.h5", "--gates", "gates.json",
    ]) { process in
      try bench.wait { bench.exists("a.h5") && bench.exists("b.h5") || !process.isRunning }
      kill(process.processIdentifier, SIGINT)
    }
    #expect(result.isSignal && result.status == SIGINT, "\(result.output)\(result.errors)")
    #expect(result.errors.contains("the predictions are written, the verdict is not\n"))
    #expect(!result.errors.contains("nothing was written"))
    #expect(bench.exists("a.h5") && bench.exists("b.h5"))
  }

  @Test func `gates need two trackers, and trackers without gates a file each`() throws {
    try gates("latency.total.p50", "0.05", to: "gates.json")
    try gates("detection.ap50", "0.05", to: "accuracy.json")
    let one = ["track", "d.h5", "--tracker", "sh tracker.sh"]
    let cases: [([String], Int32, String)] = [
      (one + ["--gates", "gates.json"], 64, "compares two trackers"),
      (one + ["--tracker", "sh tracker.sh"], 64, "expected one '--output' per '--tracker'"),
      (one + ["-o", "p.h5", "--max-pairs", "192"], 64, "'--max-pairs' requires '--gates'"),
      (
        one + ["--tracker", "sh tracker.sh", "--gates", "gates.json", "--starts", "3"], 64,
        "'--starts' requires '--output'"
      ),
      (
        one + ["--tracker", "sh tracker.sh", "--gates", "gates.json", "--max-bad-frames", "3"], 64,
        "'--max-bad-frames' requires '--output'"
      ),
      (one + ["-o", "p.h5", "--paced", "--resume"], 64, "'--resume' continues a run of one"),
      (one + ["-o", "p.h5", "--resume"], 66, "cannot resume p.h5: no interrupted run in "),
      (
        one + ["--tracker", "sh tracker.sh", "--gates", "accuracy.json"], 65,
        "expected latency.STAGE.p50"
      ),
      (one + ["--tracker", "./none", "--gates", "gates.json"], 65, "./none"),
      (one + ["--tracker", "sh tracker.sh", "--gates", "none.json"], 66, "none.json"),
    ]
    for (words, status, message) in cases {
      try expectFailure(bench, words, status: status, message)
    }
  }
}
