import Foundation
import Profiling
import Records
import Running
import Statistics
import TestSupport
import Testing
import Timing

/// The relative gate over trackers that report their times.
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

  private func time(_ base: String, _ candidate: String) throws -> ABTiming.Outcome {
    var timing = try ABTiming(dataset: dataset, base: base, candidate: candidate)
    timing.maxPairs = 192
    timing.gate.bootstrap.resamples = 500
    return try timing.run()
  }

  private func verdict(_ stage: String, _ outcome: ABTiming.Outcome) -> String? {
    outcome.findings.first { $0.stage == stage }?.verdict?.rawValue
  }

  @Test func `equal programs pass, and a slower stage fails with the others passing`() throws {
    let same = try time(tracker(find: 300_000), tracker(find: 300_000))
    #expect(same.verdict == .pass)
    #expect(same.pairs == 192 && same.starts == 12)
    let slower = try time(tracker(find: 300_000), tracker(find: 345_000))
    #expect(slower.verdict == .fail)
    #expect(verdict("find", slower) == "fail")
    #expect(verdict("rest", slower) == "pass")
    let finding = try #require(slower.findings.first { $0.stage == "find" })
    #expect(abs(finding.slowDown - 45.0 / 310) < 0.02)
  }

  @Test func `stages of one program alone are not compared, and a note reports it`() throws {
    let outcome = try time(tracker(find: 300_000, other: #""more","#), tracker(find: 300_000))
    #expect(outcome.findings.map(\.stage).contains("more") == false)
    #expect(outcome.notes == ["Only one of the two programs times more: not compared."])
  }

  @Test func `a stage that both name and neither runs is told`() throws {
    let command = tracker(find: 300_000, other: #""decode","more","#)
    let outcome = try time(command, command)
    #expect(!outcome.findings.map(\.stage).contains("more"))
    #expect(outcome.notes.contains("In no pair both programs ran more: not compared."))
  }

  @Test func `a gate on the time without decoding ends with the first look where nothing decodes`()
    throws
  {
    let command = tracker(find: 300_000, other: #""decode","#)
    let file = try folder.write(
      #"{"schema": "facegauge.gates", "version": 2, "gates": ["#
        + #"{"metric": "latency.pipeline.p50", "max_relative_worsening": 0.05}]}"#,
      to: "gates.json")
    let gates = try RelativeGates(file, stages: ["find", "decode", "rest", "total"])
    var timing = try ABTiming(dataset: dataset, base: command, candidate: command)
    timing.maxPairs = 384
    timing.gate.bootstrap.resamples = 500
    timing.ask(for: gates)
    let outcome = try timing.run()
    #expect(outcome.pairs == 192)
    let results = gates.results(of: outcome.findings)
    #expect(results.map(\.verdict) == [.fail])
    #expect(results.first?.message.contains("no frame was decoded from a file") == true)
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
    #expect(gate.message.hasPrefix("find takes 3"))
    #expect((gate.difference?.low ?? 0) > 0.08)
    #expect(Verdict.overall(record.gates) == .fail)
    guard case .table(let table)? = record.series(named: "paired.stages")?.content else {
      Issue.record("no table")
      return
    }
    #expect(table.rows.count == outcome.findings.count)
    #expect(record.notes.first?.contains("192 pairs of frames, with 12 starts") == true)
  }

  @Test func `frames that no program analyses end the timing`() {
    let broken =
      #"echo '{"protocol":"facegauge.tracker","version":1,"name":"shell","inputs":["dataset"]}'; "#
      + #"while read -r line; do n=${line#*'"frame":'}; n=${n%%[,\}]*}; "#
      + #"echo "{\"frame\":$n,\"error\":\"no\"}"; done"#
    let error = #expect(throws: EvaluationError.self) { try time(broken, broken) }
    #expect(error?.kind == .wrongData)
    #expect(error?.description.contains("found none in 7") == true)
  }

  /// A stage that runs in the first frame of a track alone, as the detector does in clips.
  @Test
  func `a rare stage gets its pairs from the starts, and one without is reported as not evaluated`()
    throws
  {
    func tracker(_ find: Int) -> String {
      #"echo '{"protocol":"facegauge.tracker","version":1,"name":"shell","inputs":["dataset"],"#
        + #""stages":["find","last","total"]}'; i=$$; while read -r line; do "#
        + #"n=${line#*'"frame":'}; n=${n%%[,\}]*}; i=$(((i * 1103515245 + 12345) % 2147483648)); "#
        + #"t=$((900000 + i / 65536 % 20000)); f=; "#
        + #"case $line in *'"reset":true'*) f="\"find\":$((\#(find) + i / 65536 % 20000)),";; esac; "#
        + #"[ "$n$f" != 6 ] && [ $n = 6 ] && f="$f\"last\":300000,"; "#
        + #"echo "{\"frame\":$n,\"stages_ns\":{$f\"total\":$t}}"; done"#
    }
    var timing = try ABTiming(dataset: dataset, base: tracker(300_000), candidate: tracker(400_000))
    timing.isVideo = true
    timing.gate.bootstrap.resamples = 500
    let outcome = try timing.run()
    #expect(verdict("find", outcome) == "fail")
    #expect(verdict("total", outcome) == "pass")
    #expect(outcome.pairs < timing.maxPairs)
    #expect(outcome.notes.contains { $0.hasPrefix("last ran in") })
  }

  @Test func `in the orders each process follows each other one equally often, and never itself`() {
    let turns = (0..<7).flatMap { ABTiming.orders[$0 % ABTiming.orders.count] }
    var follows: [[Int]: Int] = [:]
    for (one, next) in zip(turns, turns.dropFirst()).prefix(18) {
      follows[[one, next], default: 0] += 1
    }
    #expect(follows.count == 6 && Set(follows.values) == [3])
    #expect(!follows.keys.contains { $0[0] == $0[1] })
    #expect(
      (0..<3).allSatisfy { process in
        ABTiming.orders.count { $0[0] == process } == 2
      })
  }

  @Test func `a base that does not speak the protocol is told apart`() {
    let error = #expect(throws: EvaluationError.self) {
      try time("echo \"error: unknown subcommand 'serve'\" >&2; exit 64", tracker(find: 1))
    }
    #expect(
      error?.description.contains("status 64, last error line: error: unknown subcommand") == true)
  }
}
