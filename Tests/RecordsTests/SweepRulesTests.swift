import Foundation
import Platform
import Records
import Testing

@Suite("Sweeps in records")
struct SweepRulesTests {
  @Test func `a record without a sweep has no such key, and one that lacks it is read`() throws {
    var record = fullRecord
    record.sweep = nil
    let bytes = try record.json()
    #expect(!String(decoding: bytes, as: UTF8.self).contains("sweep"))
    #expect(try Record(json: bytes) == record)
  }

  private struct Case: Sendable {
    var position: String
    var change: @Sendable (inout Sweep) -> Void

    init(_ position: String, _ change: @escaping @Sendable (inout Sweep) -> Void) {
      self.position = position
      self.change = change
    }
  }

  private static let cases: [Case] = [
    Case("parameters[0].values") { $0.parameters[0].values = [0.5, 0.3] },
    Case("settings[1]") { $0.settings[1] = [0.5] },
    Case("columns") { $0.columns["other"] = [1, 2] },
    Case("columns") { $0.metrics.append($0.metrics[0]) },
    Case("columns.nme") { $0.columns["nme"] = [1] },
    Case("intervals.nme") { $0.intervals = ["nme": [[0, 1]]] },
    Case("intervals.nme") { $0.intervals = ["nme": [[0, 1], [2]]] },
    Case("wrongFrames.settings[1]") {
      $0.wrongFrames = Sweep.WrongFrames(
        frames: [.init(index: 3, name: "a")],
        settings: [[], [.init(position: 1, errors: 1)]])
    },
    Case("wrongFrames.counts") {
      $0.wrongFrames = Sweep.WrongFrames(
        frames: [.init(index: 3, name: "a")], settings: [[], [.init(position: 0, errors: 1)]],
        counts: [0, 0])
    },
    Case("wrongFrames.settings") {
      $0.wrongFrames = Sweep.WrongFrames(frames: [], settings: [[]])
    },
    Case("defaultSetting") { $0.defaultSetting = 2 },
    Case("cost.frames") { $0.cost.frames = -1 },
    Case("advice[0].setting") { $0.advice[0].setting = -1 },
    Case("advice[0].reason") { $0.advice[0].reason = "why" },
    Case("advice[1].reason") { $0.advice[1].reason = nil },
    Case("advice[0].infeasibleDraws") { $0.advice[0].infeasibleDraws = 5 },
    Case("advice[0].foldSettings[0]") { $0.advice[0].foldSettings[0] = 9 },
    Case("advice[0].parameters[0].interval") { $0.advice[0].parameters[0].interval.low = nil },
    Case("advice[0].metrics[0].heldOut") { $0.advice[0].metrics[0].heldOut = [] },
    Case("advice[0].gain.interval") { $0.advice[0].gain?.interval.reason = "why" },
    Case("advice[1]") { $0.advice[1].metric = "recall" },
    Case("fronts[0].settings[0]") { $0.fronts[0].settings = [7] },
    Case("fronts[0]") { $0.fronts[0].metrics = ["f1", "recall"] },
    Case("effects[1]") { $0.effects[1].metric = "recall" },
  ]

  @Test(arguments: 0..<24)
  func `a sweep whose parts do not fit is refused, in writing and in reading`(index: Int) throws {
    try #require(Self.cases.count == 24)
    let one = Self.cases[index]
    var record = fullRecord
    var sweep = fullSweep
    one.change(&sweep)
    record.sweep = sweep
    let writing = #expect(throws: FileError.self) { _ = try record.json() }
    #expect(writing?.description.contains("'sweep.\(one.position)' in") == true)
    // What this library refuses to write another program may have written.
    let encoder = JSONEncoder()
    let bytes = try Array(encoder.encode(record))
    let reading = #expect(throws: FileError.self) { _ = try Record(json: bytes) }
    #expect(reading?.description.contains("'sweep.\(one.position)' in") == true)
  }

  @Test func `an undefined metric is an explicit null, and a left-out key is refused`() throws {
    var record = try #require(
      try JSONSerialization.jsonObject(with: Data(fullRecord.json())) as? [String: Any])
    var sweep = try #require(record["sweep"] as? [String: Any])
    let columns = try #require(sweep["columns"] as? [String: [Any]])
    #expect(columns["nme"]?.last is NSNull)
    sweep["defaultSetting"] = nil
    record["sweep"] = sweep
    let bytes = try Array(JSONSerialization.data(withJSONObject: record))
    #expect(throws: FileError.self) { _ = try Record(json: bytes) }
  }
}
