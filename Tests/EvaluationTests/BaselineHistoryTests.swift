import Foundation
import Records
import Running
import TestSupport
import Testing
import Timing

/// What `facegauge history` draws from baselines.
@Suite struct BaselineHistoryTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A baseline file of one day; the machine is `speed` times as slow, which the reference sees too.
  private func baseline(
    _ day: Int, milliseconds: Double, speed: Double = 1, dataset: String = "aa",
    kernels: String? = nil
  ) throws -> URL {
    let named = kernels.map { "\"kernels\": \"\($0)\"," } ?? ""
    let text = """
      {"schema": "facegauge.baseline", "version": 1, \(named) "commit": "c\(day)", "blasCore": "SkylakeX",
       "created": "2026-01-\(day + 10)T00:00:00Z", "cpu": "cpu", "dataset": "clips",
       "datasetSHA256": "\(dataset)", "options": {}, "referenceMilliseconds": \(0.5 * speed),
       "stages": [{"stage": "total", "slice": "tracked", "milliseconds": \(milliseconds * speed),
                   "n": 100}]}
      """
    return try folder.write(text, to: "\(dataset)-\(day).json")
  }

  @Test func `a lasting change is marked, and a machine that is slow for a day is not`() throws {
    let times = [4.0, 4.1, 3.9, 4.05, 3.95, 4.02, 4.6, 4.7, 4.5, 4.62, 4.58, 4.66]
    var files = try times.enumerated().map { day, time in
      try baseline(day, milliseconds: time, speed: day == 3 ? 2 : 1)
    }
    files.append(try baseline(1, milliseconds: 9, dataset: "bb"))
    let history = try BaselineHistory.read(files.reversed())
    #expect(history.runs.map(\.commit) == times.indices.map { "c\($0)" })
    let line = try #require(history.lines.first)
    #expect(history.lines.count == 1)
    for (value, time) in zip(line.values, times) {
      #expect(abs((value ?? 0) - time / 0.5) < 1e-9)
    }
    #expect(line.shifts.map(\.run) == [6])
    let shift = try #require(line.shifts.first)
    #expect(abs(shift.before - 8.02) < 1e-9)
    #expect(abs(shift.after - 9.22) < 1e-9)
    #expect(history.notes == ["1 of 13 baselines are of another dataset and left out."])
  }

  @Test func `few runs have no shift but a note`() throws {
    let history = try BaselineHistory.read([
      try baseline(0, milliseconds: 1), try baseline(1, milliseconds: 5),
    ])
    #expect(history.lines.allSatisfy { $0.shifts.isEmpty })
    #expect(history.notes == ["There are 2 runs; a shift needs at least 10."])
  }

  @Test func `runs of different kernels have a note, unless one does not say which it used`() throws
  {
    let files = try [nil, "x86-64-v3", "x86-64-v4"].enumerated().map { day, kernels in
      try baseline(day, milliseconds: 1, kernels: kernels)
    }
    let note =
      "The runs used different kernels (x86-64-v3, x86-64-v4): the reference kernel does not "
      + "compensate for that."
    #expect(try BaselineHistory.read(files).notes.contains(note))
    let same = try BaselineHistory.read(Array(files.dropLast())).notes
    #expect(!same.contains { $0.contains("kernels") })
  }

  @Test(arguments: [
    ("{}", #"expected "facegauge.baseline""#), ("nothing", "line 1, column 1: expected"),
    (#"{"schema": "facegauge.record", "version": 2}"#, #"expected "facegauge.baseline""#),
  ])
  func `another file is refused by name`(text: String, words: String) throws {
    let file = try folder.write(text, to: "other.json")
    let error = #expect(throws: EvaluationError.self) { try BaselineHistory.read([file]) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("other.json") == true)
    #expect(error?.description.contains(words) == true)
  }

  @Test func `numbers that cannot be are refused`() throws {
    let file = try baseline(0, milliseconds: 1, speed: 0)
    let error = #expect(throws: EvaluationError.self) { try BaselineHistory.read([file]) }
    #expect(error?.description.contains("expected a reference of 1e-9 to 1e9 ms") == true)
    #expect(throws: EvaluationError.self) { try BaselineHistory.read([]) }
  }
}
