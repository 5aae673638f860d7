import Foundation
import Profiling
import Timing

/// Runs the relative gate again and again on two command lines, and counts verdicts.
///
///     paired-trials DATASET.h5 RUNS BASE CANDIDATE [STAGE]
///
/// A line of JSON for each run; at the end how many passed, failed and were inconclusive, how often each stage
/// failed, and how many intervals miss 0 by more than their δ. With STAGE: how many runs failed that stage while no
/// other stage failed.
private let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 4, let runs = Int(words[1]) else {
  print("usage: paired-trials DATASET.h5 RUNS BASE CANDIDATE [STAGE]")
  exit(64)
}

private struct Line: Encodable {
  struct Stage: Encodable {
    var stage: String
    var verdict: String
    var slowDown: Double
    var low: Double
    var high: Double
    var sigma: Double
    var tolerance: Double
    var medianMicroseconds: Double
  }
  var run: Int
  var verdict: String
  var pairs: Int
  var seconds: Double
  var stages: [Stage]
}

private let encoder = JSONEncoder()
encoder.outputFormatting = [.sortedKeys]
private var verdicts: [String: Int] = [:]
private var failures: [String: Int] = [:]
private var others: [String: Int] = [:]
private var misses = 0
private var named = 0

for run in 1...max(runs, 1) {
  var timing = try ABTiming(
    dataset: URL(filePath: words[0]), base: words[2], candidate: words[3])
  timing.seed = UInt64(run)
  let environment = ProcessInfo.processInfo.environment
  timing.pairsOfStart = environment["PAIRS_OF_START"].flatMap { Int($0) } ?? timing.pairsOfStart
  timing.maxPairs = environment["MAX_PAIRS"].flatMap { Int($0) } ?? timing.maxPairs
  let begin = ContinuousClock.now
  let outcome = try timing.run()
  let seconds = (ContinuousClock.now - begin) / .seconds(1)
  let evaluated = outcome.findings.filter { $0.verdict != nil }
  verdicts[outcome.verdict.rawValue, default: 0] += 1
  let failed = evaluated.filter { $0.verdict == .fail }.map(\.stage)
  for stage in failed { failures[stage, default: 0] += 1 }
  misses += evaluated.count { $0.low > $0.limit || $0.high < -$0.limit }
  if words.count > 4, failed == [words[4]] {
    named += 1
    for other in evaluated where other.stage != words[4] && other.percent == nil {
      others[other.verdict?.rawValue ?? "", default: 0] += 1
    }
  }
  func rounded(_ value: Double) -> Double { (value * 1e5).rounded() / 1e5 }
  let line = Line(
    run: run, verdict: outcome.verdict.rawValue, pairs: outcome.pairs, seconds: rounded(seconds),
    stages: outcome.findings.map {
      Line.Stage(
        stage: $0.stage, verdict: $0.verdict?.rawValue ?? "not evaluated",
        slowDown: rounded($0.slowDown), low: rounded($0.lowSlowDown),
        high: rounded($0.highSlowDown), sigma: rounded($0.sigma), tolerance: rounded($0.tolerance),
        medianMicroseconds: rounded($0.candidateNanoseconds / 1000))
    })
  FileHandle.standardOutput.write(try encoder.encode(line) + Data("\n".utf8))
}
print("verdicts \(verdicts)")
print("failed stages \(failures)")
print("intervals that miss 0 by more than δ: \(misses)")
if words.count > 4 {
  print("failed \(words[4]) alone: \(named) of \(runs); other stages then: \(others)")
}
