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

  @Test func `without baselines, and with one that is cut, history ends with one line`() throws {
    try expectFailure(bench, ["history"], status: 66, "expected baselines, found none")
    let whole = try Data(contentsOf: baselines.appending(path: "9e139a0-1.json"))
    try bench.write(Array(whole.prefix(whole.count / 2)), to: "cut.json")
    try expectFailure(bench, ["history", "cut.json"], status: 65, "cut.json")
  }
}
