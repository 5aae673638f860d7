import Foundation
import Platform
import Records
import TestSupport
import Testing
import Timing

/// A stored timing run as the base of gates.
@Suite struct StoredBaseTests {
  /// A timing run of which every frame took so many milliseconds, give or take a few microseconds.
  private func run(milliseconds: Int64, noise: [String] = []) -> Record {
    var record = Record(
      tool: Record.Tool(name: "facegauge", version: "1", build: "release"),
      created: "2026-01-02T03:04:05Z",
      dataset: Record.DatasetSummary(
        name: "d", file: nil, sha256: "00", frames: 100, faces: 0, sequences: 1, badFrames: 0),
      models: [], options: ["schedule": "closed", "mode": "video"],
      host: Record.Host(
        cpu: "c", cores: 2, blasVersion: "b", blasCore: "k", blasThreads: 1, environment: [:],
        loadAverage: nil, system: "s"))
    record.measurements = [
      Measurement(
        name: "profiler.reference", stage: "profiler", value: 1, unit: "ms", better: .neither,
        n: 10)
    ]
    record.profile = Record.Profile(
      schedule: .closed, framesPerSecond: 30, workers: 1, warmUpFrames: 1, steadyFrames: 100,
      samples: [
        .init(
          stage: "total", slice: .tracked,
          nanoseconds: (0..<100).map { milliseconds * 1_000_000 + $0 * 37 % 1000 })
      ], stutterPeriodFrames: nil, stutterReason: "none", planSHA256: "00",
      machine: .init(
        instructionSets: [], loadBefore: nil, loadAfter: nil, stealShare: nil,
        otherProcessesShare: nil, involuntarySwitches: 0, noise: noise, compiler: "",
        compilerFlags: ""))
    return record
  }

  @Test(arguments: [
    (4, 4, false, false, Verdict.pass), (4, 5, false, false, .fail),
    (4, 4, true, false, .inconclusive), (4, 5, true, false, .inconclusive),
    (4, 5, false, true, .inconclusive), (4, 4, true, true, .inconclusive),
  ])
  func `gates on a stored run decide nothing where the machine was noisy in either`(
    base: Int, candidate: Int, isBaseNoisy: Bool, isNoisy: Bool, verdict: Verdict
  ) throws {
    let folder = try TemporaryFolder()
    let noise = ["other processes took 40.0 % of the processors' time (over 10 %)"]
    let stored = run(milliseconds: Int64(base), noise: isBaseNoisy ? noise : [])
    let file = folder.file("base.json")
    try Data(stored.json()).write(to: file)
    var record = run(milliseconds: Int64(candidate), noise: isNoisy ? noise : [])
    try StoredBase(file).evaluate(&record, tolerance: 0.1, isAdvisory: false)
    #expect(record.gates.map(\.verdict) == [verdict])
    #expect(
      record.gates.allSatisfy {
        $0.message.contains("the machine was noisy in") == (isBaseNoisy || isNoisy)
      })
  }

  @Test func `what differs in settings and stages is told`() throws {
    let folder = try TemporaryFolder()
    var stored = run(milliseconds: 4)
    stored.options.merge(["num-faces": "1", "repeats": "1"]) { $1 }
    stored.profile?.samples.append(.init(stage: "geometry", slice: .tracked, nanoseconds: [1]))
    let file = folder.file("base.json")
    try Data(stored.json()).write(to: file)
    var record = run(milliseconds: 4)
    record.options.merge(["num-faces": "4", "repeats": "9"]) { $1 }
    try StoredBase(file).evaluate(&record, tolerance: 0.1, isAdvisory: true)
    let notes = record.notes.joined(separator: "\n")
    #expect(notes.contains("Options differ from those of "))
    #expect(notes.contains(": num-faces 1 to 4."))
    #expect(notes.contains("Only one of the two runs timed geometry: not compared."))
    var same = run(milliseconds: 4)
    try Data(run(milliseconds: 4).json()).write(to: file)
    try StoredBase(file).evaluate(&same, tolerance: 0.1, isAdvisory: true)
    #expect(same.notes.allSatisfy { $0.hasPrefix("Against the stored run") }, "\(same.notes)")
  }

  @Test(arguments: [
    ("all", "40", Verdict.inconclusive), ("40", "50", .inconclusive), ("all", "100", .pass),
    ("200", "all", .pass), ("40", "40", .pass),
  ])
  func `gates on a stored run decide nothing where other frames were timed`(
    base: String, candidate: String, verdict: Verdict
  ) throws {
    let folder = try TemporaryFolder()
    var stored = run(milliseconds: 4)
    stored.options["frames"] = base
    let file = folder.file("base.json")
    try Data(stored.json()).write(to: file)
    var record = run(milliseconds: 4)
    record.options["frames"] = candidate
    try StoredBase(file).evaluate(&record, tolerance: 0.1, isAdvisory: false)
    #expect(record.gates.map(\.verdict) == [verdict])
    #expect(
      record.gates.allSatisfy {
        $0.message.contains("it is of another number of frames") == (verdict != .pass)
      })
    #expect(!record.notes.contains { $0.hasPrefix("Options differ") })
  }
}
