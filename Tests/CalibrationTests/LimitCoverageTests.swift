import Calibration
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Simulation: Sendable, CustomTestStringConvertible {
  var clusters: Int
  var mean: Double

  var testDescription: String { "\(clusters) clusters of \(mean) cases on average" }
}

/// Clusters of unequal sizes, log-normal with a spread of 0.8, each with an offset of 0.5.
@Suite("Limits and metrics of a chosen threshold")
struct LimitCoverageTests {
  @Test(
    arguments: [
      Simulation(clusters: 10, mean: 20), Simulation(clusters: 12, mean: 20),
      Simulation(clusters: 20, mean: 20), Simulation(clusters: 50, mean: 20),
      Simulation(clusters: 50, mean: 3),
    ])
  private func
    `a limit with 95 % is broken in the population in 5 of 100 at most, and metrics are covered in 93`(
      simulation: Simulation
    ) throws
  {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init)
      ?? Self.usualRepetitions
    let plain = try ThresholdSearch(Objective(parsing: "max recall where precision >= 0.9"))
    let sure = try ThresholdSearch(
      Objective(parsing: "max recall where precision >= 0.9 with 95 %"))
    let best = try ThresholdSearch(Objective(parsing: "max f1"))
    let bootstrap = ClusterBootstrap(resamples: 200)
    var generator = SplitMix64(seed: 23)
    var (broken, plainBroken, estimated, told, none, covered) = (0, 0, 0.0, 0, 0, 0)
    for _ in 0..<repetitions {
      let cases = unequal(simulation, using: &generator)
      func precision(_ threshold: Double) -> Double {
        let width = (1 + 0.25).squareRoot()
        func above(_ mean: Double) -> Double { erfc((threshold - mean) / width / 2.0.squareRoot()) }
        return above(2) / (above(2) + above(0))
      }
      if let found = try? ThresholdRecommendation(cases, search: plain, bootstrap: bootstrap) {
        if precision(found.optimum.threshold) < 0.9 { plainBroken += 1 }
        estimated += found.brokenShare ?? 0
        told += found.brokenShare == nil ? 0 : 1
      }
      if let found = try? ThresholdRecommendation(cases, search: sure, bootstrap: bootstrap) {
        if precision(found.optimum.threshold) < 0.9 { broken += 1 }
      } else {
        none += 1
      }
      let f1 = try ThresholdRecommendation(cases, search: best, bootstrap: bootstrap)
      let truth = trueValue(
        of: .fBeta(1), at: f1.optimum.threshold, share: 0.5, distance: 2, offset: 0.5)
      if let low = f1.valueInterval.low, let high = f1.valueInterval.high, low <= truth,
        truth <= high
      {
        covered += 1
      }
    }
    func share(_ count: Double) -> Double { count / Double(repetitions) }
    print(
      "\(simulation.testDescription): limit broken with 95 % in \(share(Double(broken))), none keeps it in "
        + "\(share(Double(none))); without in \(share(Double(plainBroken))), estimated "
        + "\(estimated / Double(max(told, 1))) in \(told); "
        + "f1's interval covers \(share(Double(covered))) of \(repetitions)")
    func chance(_ share: Double) -> Double {
      3 * (share * (1 - share) / Double(repetitions)).squareRoot()
    }
    #expect(share(Double(broken)) <= 0.05 + chance(0.05))
    #expect(share(Double(covered)) >= 0.93 - chance(0.93))
    // Clusters of unequal sizes are worth fewer: of 20 only some samples tell the share.
    if told > repetitions / 2 {
      #expect(estimated / Double(told) >= share(Double(plainBroken)) - 0.1 - chance(0.5))
    } else {
      #expect(simulation.clusters < 50)
    }
  }

  private func unequal(
    _ simulation: Simulation, using generator: inout SplitMix64
  ) -> [ScoredCase] {
    func normal() -> Double {
      (-2 * log(generator.share())).squareRoot() * cos(2 * .pi * generator.share())
    }
    return (0..<simulation.clusters).flatMap { cluster in
      let size = max(1, (simulation.mean * exp(0.8 * normal() - 0.32)).rounded())
      let shift = 0.5 * normal()
      return (0..<Int(size)).map { _ in
        let isPositive = generator.share() < 0.5
        return ScoredCase(
          score: normal() + shift + (isPositive ? 2 : 0), isPositive: isPositive, cluster: cluster)
      }
    }
  }

  #if DEBUG
    private static let usualRepetitions = 5
  #else
    private static let usualRepetitions = 100
  #endif
}
