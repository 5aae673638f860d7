import Foundation
import TestSupport
import Testing

/// `facegauge history` on the committed baselines: eight runs before smoothing stopped allocating, eight after it.
@Suite struct HistoryTests {
  private let bench: Workbench

  init() throws { bench = try Workbench() }

  private func history(_ words: String) throws -> ProcessResult {
    try bench.shell("\"$facegauge\" history '\(baselines.path)'/*.json \(words)")
  }

  private var baselines: URL {
    URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Reports/Baselines").standardizedFileURL
  }

  @Test func `shifts are marked at the commit that made a stage faster, and nowhere else`() throws {
    let result = try history("-o report")
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
    let lines = result.output.split(separator: "\n")
    let shifts = lines.indices.filter { lines[$0].contains("shift at") }
    #expect(shifts.allSatisfy { lines[$0].contains("shift at d5858f41a8:") })
    #expect(
      shifts.map { lines[$0 - 1].split(separator: " ")[0] }
        == ["landmark.decode", "geometry", "geometry", "smoothing"])
    #expect(lines.contains { $0.contains("-77.2 %") })
    #expect(try bench.text("report/report.md").contains("smoothing"))
    #expect(try bench.text("report/report.html").hasPrefix("<!DOCTYPE html>"))
    let printed = try history("--json")
    #expect(try bench.text("report/history.json") == printed.output)
    #expect(try Schema.problems(ofFile: printed.output.utf8) == [])
  }

  @Test func `a run that is worse than the ten before it fails the gate`() throws {
    let record = Checkout.root.appending(path: "Reports/demo/record.json").path
    // Twelve nights; the last one has a lower recall.
    let made = try bench.shell(
      """
      for n in 10 11 12 13 14 15 16 17 18 19 20 21; do mkdir -p nightly/$n; python3 - $n <<'END'
      import json, sys
      record = json.load(open('\(record)'))
      record["created"] = f"2026-10-{sys.argv[1]}T00:00:00Z"
      for one in record["measurements"]:
          if one["name"] == "faces.recall" and one["slice"] is None and sys.argv[1] == "21":
              one["value"] -= .02
      json.dump(record, open(f"nightly/{sys.argv[1]}/record.json", "w"))
      END
      done
      """)
    #expect(made.status == 0, "\(made.errors)")
    let result = try bench.shell(
      "\"$facegauge\" history nightly/* -o page --metric faces.recall --metric faces.precision --gate"
    )
    #expect(result.status == 2, "\(result.errors)")
    #expect(result.output.contains("is worse than the 10 before it in faces.recall.\n"))
    #expect(try Schema.problems(ofFile: bench.text("page/history.json").utf8) == [])
    #expect(try bench.text("page/report.html").contains("where the next run lies"))
    let usual = try bench.shell(
      "\"$facegauge\" history nightly/1* nightly/20 --metric faces.recall --gate")
    #expect(usual.status == 0 && usual.output.contains("as usual or better"), "\(usual.errors)")
    let few = try bench.shell("\"$facegauge\" history nightly/1[0-4] --metric faces.recall --gate")
    #expect(few.status == 3)
    try expectFailure(
      bench, ["history", "nightly/10", "'\(baselines.path)/9e139a0-1.json'"], status: 64,
      "takes runs or baselines, not both")
    try expectFailure(
      bench, ["history", "nightly/10", "--metric", "faces.recal"], status: 65,
      "perhaps \"faces.recall\"")
  }

  @Test func `without baselines, and with one that is cut, history ends with one line`() throws {
    try expectFailure(bench, ["history"], status: 66, "expected baselines, found none")
    let whole = try Data(contentsOf: baselines.appending(path: "9e139a0-1.json"))
    try bench.write(Array(whole.prefix(whole.count / 2)), to: "cut.json")
    try expectFailure(bench, ["history", "cut.json"], status: 65, "cut.json")
  }
}
