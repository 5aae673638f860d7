import Foundation
import Records
import TestSupport
import Testing

@Suite(
  "Sweeping on the command line",
  .enabled(if: Material.hasModels, "FACEGAUGE_MODELS holds no detector"))
struct SweepCommandTests {
  let bench: Workbench

  init() throws {
    bench = try Workbench()
    try Material.dataset(bench.url("good.h5"), frames: 12)
  }

  private static let detection = "min-face-detection-confidence=0.1:0.9:0.2"

  @Test func `the summary, the record and the reports agree`() throws {
    let result = try bench.facegauge([
      "sweep", "good.h5", "-o", "run", "--threshold", Self.detection, "--threshold",
      "min-face-presence-confidence=0.2,0.8", "--objective", "max f1", "--resamples", "20",
    ])
    #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    #expect(result.output.contains("15 settings in "))
    #expect(result.output.contains("max f1:"))
    let verdict = try #require(sweepVerdict(in: result.output))
    #expect(result.output.hasSuffix("report: run/report.html\n"))
    let record = try JSONDecoder().decode(
      Record.self, from: Data(try bench.bytes("run/record.json")))
    let sweep = try #require(record.sweep)
    #expect(sweep.settings.count == 15 && sweep.parameters.map(\.values.count) == [5, 2])
    #expect(sweep.advice.count == 1)
    #expect(try bench.text("run/report.md").contains("max f1"))
    #expect(try bench.text("run/report.md").contains(verdict))
    #expect(try bench.text("run/report.html").contains("Best settings and verdicts"))
    let again = try bench.facegauge(["report", "run"])
    #expect(again.status == 0, "\(again.errors)")
  }

  private func sweepVerdict(in output: String) -> String? {
    output.split(separator: "\n").first { $0.hasPrefix("  verdict: ") }.map {
      String($0.dropFirst("  verdict: ".count))
    }
  }

  @Test func `where no setting meets an objective the status is 3, and the run is written`() throws
  {
    let result = try bench.facegauge([
      "sweep", "good.h5", "-o", "run", "--threshold", Self.detection, "--resamples", "0",
      "--objective", "max coverage", "--objective", "max coverage where fp_per_frame < 0",
    ])
    #expect(result.status == 3, "\(result.errors)")
    #expect(result.output.contains("fp_per_frame < 0: none: none of 5 settings meets"))
    #expect(FileManager.default.fileExists(atPath: bench.url("run/report.html").path))
  }

  @Test
  func `a run of image mode is swept without its images being looked at again, and without models`()
    throws
  {
    let run = try bench.facegauge([
      "evaluate", "good.h5", "-o", "loose", "--min-face-detection-confidence", "0.1", "--resamples",
      "0",
    ])
    try #require(run.status == 0, "\(run.errors)")
    let words = ["--threshold", Self.detection, "--resamples", "0", "--json"]
    let fresh = try bench.facegauge(["sweep", "good.h5", "-o", "fresh"] + words)
    let stored = try bench.facegauge(
      ["sweep", "loose", "-o", "stored", "--models", "nowhere"] + words)
    #expect(stored.status == 0, "\(stored.errors)")
    func sweep(_ result: ProcessResult) throws -> Sweep {
      try #require(
        try JSONDecoder().decode(Record.self, from: Data(result.output.utf8)).sweep)
    }
    let (first, second) = (try sweep(fresh), try sweep(stored))
    #expect(second.cost.detectorInferences == 0 && first.cost.detectorInferences == 12)
    for name in ["recall", "precision", "f1"] {
      #expect(first.columns[name] == second.columns[name], "\(name)")
    }
    let twice = try bench.facegauge([
      "sweep", "loose", "-o", "other", "--num-faces", "2", "--threshold", Self.detection,
    ])
    #expect(twice.status == 64 && twice.errors.contains("'--num-faces' does not apply here"))
  }

  @Test func `what cannot be swept is one line, with its status, and nothing is written`() throws {
    try bench.write("no HDF5", to: "text.h5")
    let names = ["suppression-threshold", "face-presence-confidence", "face-detection-confidence"]
    let repeated = (names + names).flatMap { ["--threshold", "min-\($0)=0.5"] }
    let cases: [(words: [String], status: Int32, text: String)] = [
      (["good.h5"], 64, "threshold"),
      (["good.h5", "--threshold", "nonsense=0:1:0.1"], 64, "with a name of"),
      (["good.h5", "--threshold", "min-face-detection-confidence=0.9:0.1:0.1"], 64, "not empty"),
      (["good.h5", "--threshold", "min-face-detection-confidence=0:nan:0.1"], 64, "from 0 to 1"),
      (["good.h5", "--threshold", Self.detection, "--threshold", Self.detection], 64, "twice"),
      (["good.h5"] + repeated, 64, "'--threshold min-face-detection-confidence' is given twice"),
      (["good.h5", "--threshold", Self.detection, "--objective", "max"], 64, "name of a metric"),
      (["good.h5", "--threshold", Self.detection, "--objective", "max recal"], 64, "'recall'"),
      (
        ["good.h5", "--threshold", Self.detection, "--objective", "max nme"], 64,
        "expected 'min nme', because a lower nme is better, found 'max nme'"
      ),
      (
        ["good.h5", "--threshold", Self.detection, "--objective", "max f1 where lag <= nan"], 64,
        "finite number"
      ),
      (
        ["good.h5", "--threshold", Self.detection, "--objective", "max f1 where recall <= 5"], 64,
        "a limit that recall can miss, from 0 to 1, found 'recall <= 5'"
      ),
      (["good.h5", "--threshold", Self.detection, "--mode", "live"], 64, "live"),
      (["good.h5", "--threshold", Self.detection, "--folds", "1"], 64, "--folds"),
      (["none.h5", "--threshold", Self.detection], 66, "none.h5"),
      (["text.h5", "--threshold", Self.detection], 65, "text.h5"),
      (["good.h5", "--threshold", Self.detection, "--models", "nowhere"], 66, "nowhere"),
    ]
    for (words, status, text) in cases {
      let result = try bench.facegauge(["sweep", "-o", "out"] + words)
      #expect(result.status == status, "\(words): \(result.errors)")
      #expect(result.errors.contains(text), "\(words): \(result.errors)")
      #expect(result.output == "")
      #expect(!FileManager.default.fileExists(atPath: bench.url("out").path), "\(words)")
      #expect(!FileManager.default.fileExists(atPath: bench.url("out.partial").path), "\(words)")
    }
  }
}
