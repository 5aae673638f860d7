import Foundation
import Platform
import Records
import Running
import Statistics
import TestSupport
import Testing
import Timing

/// What `facegauge history` says of metrics over runs.
@Suite struct RecordHistoryTests {
  /// Recall of thirty runs with noise of .003, and from run 20 on, from 0, .02 less.
  private static func line(_ seed: Int, drop: Double, runs: Int = 30) -> MetricHistory.Line {
    var generator = SplitMix64(seed: UInt64(9000 + seed))
    let values = (0..<runs).map { run in
      0.95 + 0.003 * generator.normalPair().0 - (run >= 20 ? drop : 0)
    }
    return MetricHistory.Line(
      name: "faces.recall", unit: "1", better: .higher, values: values, of: 1)
  }

  @Test func `a drop is found where it is, and series without one draw few alarms`() {
    let found = (0..<200).map { Self.line($0, drop: 0.02).shifts.map(\.run) }
    #expect(found.allSatisfy { $0.contains { (20...22).contains($0) } })
    // Both sides are searched again, each with 1 in 20 false alarms at most.
    let others = found.count { $0.count > 1 }
    #expect(others <= 20, "\(others) of 200")
    let alarms = (0..<200).count { !Self.line($0, drop: 0).shifts.isEmpty }
    #expect(alarms <= 10, "\(alarms) of 200")
  }

  @Test func `the first run after a drop is worse than the ten before it`() {
    let worse = (0..<200).count { Self.line($0, drop: 0.02, runs: 21).newest?.isWorse == true }
    // The limit is 2.8 spreads away, the drop 6.7.
    #expect(worse >= 195, "\(worse) of 200")
    // At most 1 of 100: two standard errors more are 5 of 200.
    let false_ = (0..<200).count { Self.line($0, drop: 0, runs: 21).newest?.isWorse == true }
    #expect(false_ <= 5, "\(false_) of 200")
  }

  @Test(
    arguments: [
      ([1, 2, 3, 4, 5], 0.025, -1.8089439866284946, 7.808943986628495),
      (
        [0.95, 0.951, 0.949, 0.95, 0.952, 0.948, 0.95, 0.951, 0.95, 0.949], 0.01,
        0.9465830689868925, 0.9534169310131072
      ),
      ([2, 2], 0.05, 2, 2),
    ] as [([Double], Double, Double, Double)])
  func `limits of the next value are those of SciPy's t`(
    values: [Double], tail: Double, low: Double, high: Double
  ) throws {
    let limits = try #require(PredictionLimits(of: values, tail: tail))
    #expect(abs(limits.low - low) < 1e-9 && abs(limits.high - high) < 1e-9)
  }

  @Test func `equal values have no limit but themselves, and neither way of a count is worse`() {
    func newest(_ last: Double, _ better: Direction, target: Double? = nil) -> Bool? {
      MetricHistory.Line(
        name: "a", unit: "1", better: better, target: target,
        values: Array(repeating: 0.9, count: 10) + [last], of: 3
      ).newest?.isWorse
    }
    #expect(newest(0.9, .higher) == false && newest(0.9 - 1e-12, .higher) == false)
    #expect(newest(0.89, .higher) == true && newest(0.91, .higher) == false)
    #expect(newest(0.91, .lower) == true && newest(0.89, .lower) == false)
    #expect(newest(1.0, .closest, target: 1) == false && newest(0.8, .closest, target: 1) == true)
    #expect(newest(5, .neither) == nil)
  }

  private static func history(_ last: Double?, objection: String? = nil) -> MetricHistory {
    func line(_ name: String, _ last: Double?) -> MetricHistory.Line {
      MetricHistory.Line(
        name: name, unit: "1", better: .higher,
        values: Array(repeating: 0.9, count: 10) + [last], of: 2)
    }
    return MetricHistory(
      dataset: "d", runs: [], lines: [line("faces.recall", 0.9), line("faces.f1", last)],
      notes: [], objection: objection)
  }

  @Test func `a newest run that lost a metric, or is suspect, decides nothing`() {
    #expect(Self.history(0.9).verdict == .pass)
    let lost = Self.history(nil)
    #expect(lost.verdict == .inconclusive)
    #expect(lost.lines[1].verdict == "undefined in the newest run")
    #expect(lost.sentence.contains("has no value of faces.f1, which earlier runs have"))
    let suspect = Self.history(0.1, objection: "The input is suspect (time.shift).")
    #expect(suspect.verdict == .inconclusive && suspect.sentence.contains("time.shift"))
  }

  @Test func `the headlines that earlier runs have are drawn where the newest one lost them`()
    throws
  {
    let folder = try TemporaryFolder()
    var files = try (0..<10).map { try record(folder, $0) }
    let lost = "faces.recall"
    files.append(
      try record(folder, 10) { $0 = $0.replacing("\"\(lost)\"", with: "\"faces.recal\"") })
    let history = try RecordHistory.read(files, metrics: [])
    let line = try #require(history.lines.first { $0.name == lost })
    #expect(line.isUndefined && line.values.count == 11)
    #expect(history.verdict == .inconclusive)
  }

  private func record(
    _ folder: TemporaryFolder, _ day: Int, _ change: (inout String) -> Void = { _ in }
  )
    throws -> URL
  {
    var text = String(
      decoding: try Data(contentsOf: Checkout.root.appending(path: "Reports/demo/record.json")),
      as: UTF8.self)
    let created = try #require(text.firstMatch(of: /"created" : "[^"]*"/))
    text.replaceSubrange(
      created.range, with: "\"created\" : \"2026-10-\(day + 20)T00:00:00Z\"")
    change(&text)
    return try folder.write(text, to: "run\(day)/record.json")
  }

  @Test func `runs of other datasets, options and kernels are left out with a note`() throws {
    let folder = try TemporaryFolder()
    var files = try (0..<11).map { try record(folder, $0) }
    func add(_ day: Int, _ old: String, _ new: String) throws {
      files.append(
        try record(folder, day) { text in
          #expect(text.contains(old))
          text = text.replacing(old, with: new, maxReplacements: 1)
        })
    }
    let whole = try Record(json: [UInt8](Data(contentsOf: files[0])), source: "record.json")
    let faces = try #require(whole.options["num-faces"])
    try add(-1, whole.dataset.sha256, String(repeating: "0", count: 64))
    try add(-2, "\"num-faces\" : \"", "\"num-faces\" : \"1")
    try add(-3, "\"kernels\" : \"", "\"kernels\" : \"other ")
    let history = try RecordHistory.read(files.reversed(), metrics: [])
    #expect(history.runs.map(\.file) == (0..<11).map { "run\($0)" })
    #expect(
      history.notes.prefix(3) == [
        "1 of 14 records are left out: of another dataset.",
        "1 of 14 records are left out: with other options (of the newest of them: "
          + "num-faces 1\(faces) to \(faces)).",
        "1 of 14 records are left out: computed by other kernels.",
      ])
    #expect(history.lines.map(\.name).contains("faces.recall"))
    #expect(history.lines.allSatisfy { !$0.name.hasPrefix("latency.") && $0.shifts.isEmpty })
    #expect(history.verdict == .pass)
    let recall = try #require(history.lines.first { $0.name == "faces.recall" })
    let value = try #require(whole.measurement("faces.recall"))
    #expect(recall.values == Array(repeating: value.value, count: 11))
    #expect(recall.intervals[3] == [value.interval.low, value.interval.high].compactMap { $0 })
    func message(_ metric: String) throws -> String {
      let thrown = #expect(throws: EvaluationError.self) {
        try RecordHistory.read(files, metrics: [metric])
      }
      return try #require(thrown).description
    }
    #expect(try message("faces.recal").hasSuffix("record, perhaps \"faces.recall\", found none"))
    #expect(try message("recall").contains("perhaps \"faces.recall\""))
    #expect(try message("blendshapes.mae").hasSuffix("newest record, which has not measured it"))
  }

  @Test func `a record of another version is left out, unless it is the newest`() throws {
    let folder = try TemporaryFolder()
    func other(_ day: Int) throws -> URL {
      try record(folder, day) { text in
        let version = "\"version\" : \(Record.schemaVersion)"
        #expect(text.contains(version))
        text = text.replacing(version, with: "\"version\" : \(Record.schemaVersion - 1)")
      }
    }
    let files = try (0..<11).map { try record(folder, $0) } + [try other(-1), try other(-2)]
    let history = try RecordHistory.read(files, metrics: ["faces.recall"])
    #expect(history.runs.map(\.file) == (0..<11).map { "run\($0)" })
    #expect(
      history.notes.first == "2 of 13 records are left out: of another version of their schema.")
    let newest = try other(11)
    let error = #expect(throws: EvaluationError.self) {
      try RecordHistory.read(files + [newest], metrics: ["faces.recall"])
    }
    #expect(
      error?.description.contains("expected \(Record.schemaVersion), found") == true,
      "\(String(describing: error))")
  }

  @Test func `what changes no metric, and what is watched, leaves no run out`() throws {
    let folder = try TemporaryFolder()
    let known = "\"num-faces\" : \""
    let files = try (0..<11).map { day in
      try record(folder, day) { text in
        #expect(text.contains(known))
        let names = ["base", "command", "turns", "resumed", "model.landmarks", "tracker"]
        let own = names.map { "\"\($0)\" : \"of night \(day)\"" }.joined(separator: ", ")
        text = text.replacing(known, with: "\(own), \(known)", maxReplacements: 1)
      }
    }
    let history = try RecordHistory.read(files, metrics: ["faces.recall"])
    #expect(history.runs.count == 11, "\(history.notes)")
    #expect(!history.notes.contains { $0.contains("left out") })
  }

  @Test func `a metric that no run has a value of is named, with the reason`() throws {
    let folder = try TemporaryFolder()
    let name = "landmarks.nme.interocular"
    let files = try (0..<11).map { try record(folder, $0) }
    let newest = try Record(json: [UInt8](Data(contentsOf: files[10])), source: "record.json")
    let metric = try #require(newest.measurement(name))
    let reason = try #require(metric.reason)
    #expect(metric.value == nil)
    let history = try RecordHistory.read(files, metrics: ["faces.recall", name])
    #expect(history.sentence.hasSuffix("no run has a value of \(name)."))
    #expect(history.notes.contains("\(name) is undefined in the newest run: \(reason)."))
    #expect(history.verdict == .inconclusive)
  }
}
