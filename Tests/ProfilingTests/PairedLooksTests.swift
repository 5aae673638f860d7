import Foundation
import Profiling
import Statistics
import TestSupport
import Testing

/// Times of three programs on a machine, as they were seen on two shared cores.
private struct SimulatedMachine {
  /// Standard deviation of what lasts as long as a process, and of a frame, in logarithms.
  var ofStart: Double
  var ofFrame: Double
  /// How often a frame is interrupted, and by how much longer it then takes at most.
  var interruptions: Double
  var longest: Double

  static let quiet = SimulatedMachine(
    ofStart: 0.015, ofFrame: 0.03, interruptions: 0.05, longest: 2)
  static let busy = SimulatedMachine(
    ofStart: 0.04, ofFrame: 0.08, interruptions: 0.4, longest: 1.5)

  private static let starts = 16

  /// Adds pairs up to a number; the load that all three share hangs together and drifts.
  func add(
    to stages: inout [StagePairs], upTo pairs: Int, slower: Double, _ state: inout State,
    _ stream: inout SplitMix64
  ) {
    while stages[0].count < pairs {
      let pair = stages[0].count
      if pair % Self.starts == 0 {
        state.effects = stages.map { _ in
          (0..<3).map { _ in ofStart * stream.normalPair().0 }
        }
      }
      state.load =
        0.95 * state.load + 0.02 * stream.normalPair().0 + 0.1 / 1536
      for index in stages.indices {
        let times = (0..<3).map { process -> UInt64 in
          let planted = index == 0 && process == 2 ? 1 + slower : 1
          let isInterrupted = stream.uniform() < interruptions
          let longer = isInterrupted ? 1 + longest * stream.uniform() : 1
          let noise = exp(
            state.load + state.effects[index][process] + ofFrame * stream.normalPair().0)
          return UInt64(1e6 * planted * noise * longer)
        }
        stages[index].add(
          base: times[0], again: times[1], candidate: times[2], start: pair / Self.starts)
      }
    }
  }

  struct State {
    var load = 0.0
    var effects: [[Double]] = []
  }
}

@Suite("Looks at growing numbers of pairs")
struct PairedLooksTests {
  private struct Trial {
    var findings: [RelativeFinding]
    var pairs: Int
    var looks: Int
  }

  /// One gate on three stages, the first of which the candidate takes longer for.
  private func trial(_ machine: SimulatedMachine, slower: Double, seed: UInt64) -> Trial {
    var gate = RelativeGate()
    gate.bootstrap.resamples = 1000
    gate.tailPercents = []
    var looks = PairedLooks(gate, minPairs: 192, maxPairs: 1536)
    var stages = ["a", "b", "total"].map { StagePairs(stage: $0) }
    var state = SimulatedMachine.State()
    var stream = SplitMix64(seed: seed)
    var generator = SplitMix64(seed: seed)
    while true {
      machine.add(to: &stages, upTo: looks.next, slower: slower, &state, &stream)
      if looks.isDone(stages, pairs: stages[0].count, using: &generator) { break }
    }
    return Trial(findings: looks.findings, pairs: stages[0].count, looks: looks.count)
  }

  @Test(arguments: [("quiet", SimulatedMachine.quiet), ("busy", .busy)])
  fileprivate func `over all looks no more verdicts are wrong than asked, and 10 % is found`(
    name: String, machine: SimulatedMachine
  ) {
    let count =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init) ?? 4
    func most(_ share: Double) -> Int {
      let mean = share * Double(count)
      return Int((mean + 3 * (mean * (1 - share)).squareRoot()).rounded(.up))
    }
    for slower in [0, 0.05, 0.07, 0.1] {
      var verdicts: [String: Int] = [:]
      var ends: [Int: Int] = [:]
      var (failed, others, passed, wide) = (0, 0, 0, 0)
      for seed in 0..<count {
        let trial = trial(machine, slower: slower, seed: UInt64(seed + 1))
        verdicts[RelativeFinding.overall(trial.findings).rawValue, default: 0] += 1
        ends[trial.pairs, default: 0] += 1
        let planted = trial.findings[0]
        if planted.verdict == .fail { failed += 1 }
        if planted.verdict == .pass {
          passed += 1
          // What the verdict claims is that the slow-down is under δ.
          if slower >= planted.tolerance { wide += 1 }
          #expect(planted.tolerance <= 2 * planted.asked)
        }
        if trial.findings.dropFirst().contains(where: { $0.verdict == .fail }) { others += 1 }
      }
      let seen = verdicts.sorted { $0.key < $1.key }.map { "\($0) \($1)" }
      let looks = ends.sorted { $0.key < $1.key }.map { "\($1) after \($0)" }
      print(
        "\(name), \(Int(100 * slower)) % longer, \(count) runs: \(seen.joined(separator: ", ")); "
          + "that stage failed in \(failed) and passed in \(passed), another failed in \(others); "
          + looks.joined(separator: ", "))
      #expect(others <= most(0.025), "equal stages fail")
      #expect(wide <= most(0.025), "a slow-down of δ or more passes")
      if slower <= 0.05 { #expect(failed <= most(0.025), "\(slower) fails") }
      if name == "quiet", slower == 0.1 { #expect(count - failed <= most(0.05)) }
    }
  }

  @Test func `looks err in sum what one look may err, by Pocock's spending function`() {
    var spending = ErrorSpending(total: 0.025)
    // Lan and DeMets 1983: α ln(1 + (e − 1) t).
    let expected = [0.125, 0.25, 0.5, 1].map { 0.025 * log(1 + (M_E - 1) * $0) }
    var sum = 0.0
    for (share, until) in zip([0.125, 0.25, 0.5, 1], expected) {
      sum += spending.next(atShare: share)
      #expect(abs(sum - until) < 1e-15)
    }
    #expect(sum == 0.025)
    #expect(spending.next(atShare: 1) == 0 && spending.next(atShare: 2) == 0)
  }

  @Test func `a look is due when pairs have doubled, at the last pair, and at the end of the time`()
  {
    let machine = SimulatedMachine.quiet
    var stages = [StagePairs(stage: "total")]
    var state = SimulatedMachine.State()
    var stream = SplitMix64(seed: 3)
    var gate = RelativeGate()
    gate.bootstrap.resamples = 200
    var looks = PairedLooks(gate, minPairs: 192, maxPairs: 1000)
    var seen: [Int] = []
    for pairs in stride(from: 1, through: 1000, by: 1) {
      // A stage that is slower by δ itself stays open.
      machine.add(to: &stages, upTo: pairs, slower: 0.05, &state, &stream)
      let before = looks.count
      let isDone = looks.isDone(stages, pairs: pairs, using: &stream)
      if looks.count > before { seen.append(pairs) }
      if isDone { break }
    }
    #expect(seen == [192, 384, 768, 1000])
    var timed = PairedLooks(gate, minPairs: 192, maxPairs: 1000)
    #expect(!timed.isDone(stages, pairs: 191, time: 0.9, using: &stream) && timed.count == 0)
    #expect(timed.isDone(stages, pairs: 191, time: 1, using: &stream) && timed.count == 1)
  }

  @Test(arguments: ["landmark.infer", "landmark.infer.p95"])
  func `pairs go on until a stage that a gate asks for has run`(asked: String) {
    var gate = RelativeGate()
    gate.bootstrap.resamples = 200
    var stages = [StagePairs(stage: "total"), StagePairs(stage: "landmark.infer")]
    for pair in 0..<192 {
      stages[0].add(base: 1000, again: 1000, candidate: 1000, start: pair / 16)
    }
    var generator = SplitMix64(seed: 1)
    func isDone(_ names: [String]?, pairs: Int) -> Bool {
      gate.asked = names.map { Dictionary(uniqueKeysWithValues: $0.map { ($0, 0.05) }) }
      var looks = PairedLooks(gate, minPairs: 192, maxPairs: 1536)
      return looks.isDone(stages, pairs: pairs, using: &generator)
    }
    #expect(!isDone([asked], pairs: 192) && !isDone(["total", asked], pairs: 192))
    #expect(isDone([asked], pairs: 1536))
    // What no gate asks for, or neither program times, is not waited for.
    #expect(isDone(nil, pairs: 192) && isDone(["total"], pairs: 192))
    #expect(isDone(["total", "landmark.infer.fast"], pairs: 192))
  }

  @Test func `the only look has the whole error, and an early one of several wider intervals`()
    throws
  {
    var stages = [StagePairs(stage: "total")]
    var state = SimulatedMachine.State()
    var stream = SplitMix64(seed: 4)
    SimulatedMachine.quiet.add(to: &stages, upTo: 384, slower: 0.02, &state, &stream)
    var (first, second) = (SplitMix64(seed: 1), SplitMix64(seed: 1))
    let only = try #require(RelativeGate().evaluate(stages, using: &first).first)
    let early = try #require(
      RelativeGate().evaluate(stages, mayErr: 0.005, using: &second).first)
    #expect(early.low < only.low && early.high > only.high && early.estimate == only.estimate)
  }
}
