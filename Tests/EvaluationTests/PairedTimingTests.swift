import Evaluation
import Foundation
import Profiling
import Records
import TestSupport
import Testing

/// The relative gate over trackers that say how long they took.
@Suite struct PairedTimingTests {
  private let folder: TemporaryFolder
  private let dataset: URL

  init() throws {
    folder = try TemporaryFolder()
    dataset = try DrawnClips.write([.init("a", DrawnClips.moving(7))], in: folder)
  }

  /// A tracker of two stages; its times follow from the frame and some noise of the shell.
  private func tracker(find: Int, other: String = "") -> String {
    #"echo '{"protocol":"facegauge.tracker","version":1,"name":"shell","inputs":["dataset"],"#
      + #""stages":["find",\#(other)"rest","total"]}'; i=$$; while read -r line; do "#
      + #"n=${line#*'"frame":'}; n=${n%%[,\}]*}; i=$(((i * 1103515245 + 12345) % 2147483648)); "#
      + #"f=$((\#(find) + i / 65536 % 20000)); r=$((900000 + i / 65536 % 20000)); "#
      + #"echo "{\"frame\":$n,\"stages_ns\":{\"find\":$f,\"rest\":$r,\"total\":$((f + r))}}"; done"#
  }

  private func time(_ base: String, _ candidate: String) throws -> PairedTiming.Outcome {
    var timing = PairedTiming(dataset: dataset, base: base, candidate: candidate)
    timing.maxPairs = 192
    timing.gate.bootstrap.resamples = 500
    return try timing.run()
  }

  private func verdict(_ stage: String, _ outcome: PairedTiming.Outcome) -> String? {
    outcome.findings.first { $0.stage == stage }?.verdict?.rawValue
  }

  @Test func `equal programs pass, and a slower stage fails with the others passing`() throws {
    let same = try time(tracker(find: 300_000), tracker(find: 300_000))
    #expect(same.verdict == .pass)
    #expect(same.pairs == 192 && same.starts == 6)
    let slower = try time(tracker(find: 300_000), tracker(find: 345_000))
    #expect(slower.verdict == .fail)
    #expect(verdict("find", slower) == "fail")
    #expect(verdict("rest", slower) == "pass")
    let finding = try #require(slower.findings.first { $0.stage == "find" })
    #expect(abs(finding.slowDown - 45.0 / 310) < 0.02)
  }

  @Test func `stages of one program alone are not compared, and this is said`() throws {
    let outcome = try time(tracker(find: 300_000, other: #""more","#), tracker(find: 300_000))
    #expect(outcome.findings.map(\.stage).contains("more") == false)
    #expect(outcome.notes == ["Only one of both times more: not compared."])
  }

  @Test func `verdicts become gates of the record, and the table a series`() throws {
    let outcome = try time(tracker(find: 300_000), tracker(find: 400_000))
    var record = Record(
      tool: .init(name: "t", version: "1", build: "release"), created: "2026-01-01T00:00:00Z",
      dataset: .init(name: "d", sha256: "0", frames: 7, faces: 0, sequences: 1, badFrames: 0),
      models: [], options: [:],
      host: .init(
        cpu: "c", cores: 1, blasVersion: "", blasCore: "", blasThreads: 1, environment: [:],
        loadAverage: nil, system: ""))
    outcome.add(to: &record, against: "base")
    let gate = try #require(record.gates.first { $0.gate.metric == "latency.find.p50" })
    #expect(gate.verdict == .fail)
    #expect(gate.message.hasPrefix("find takes +3"))
    #expect((gate.difference?.low ?? 0) > 0.08)
    #expect(Verdict.overall(record.gates) == .fail)
    guard case .table(let table)? = record.series(named: "paired.stages")?.content else {
      Issue.record("no table")
      return
    }
    #expect(table.rows.count == outcome.findings.count)
    #expect(record.notes.first?.contains("192 pairs of frames, with 6 starts") == true)
  }

  @Test func `a base that does not speak the protocol is told apart`() {
    let error = #expect(throws: EvaluationError.self) {
      try time("echo \"error: unknown subcommand 'serve'\" >&2; exit 64", tracker(find: 1))
    }
    #expect(
      error?.description.contains("status 64, its last words: error: unknown subcommand") == true)
  }
}
