import Calibration
import Foundation
import Metrics
import Records
import Statistics
import TestSupport
import Testing

private struct Simulation: Sendable, CustomTestStringConvertible {
  var objective: String
  var clusters, size: Int
  var share, distance, offset: Double

  var testDescription: String {
    "\(objective), \(clusters) clusters of \(size), \(share) positive, \(distance) apart, "
      + "offset \(offset)"
  }
}

@Suite("Recommended thresholds")
struct ThresholdRecommendationTests {
  /// 0.93 to 0.97 and what chance adds to it: three standard errors of the share.
  @Test(
    arguments: [
      Simulation(
        objective: "max balanced_accuracy", clusters: 100, size: 6, share: 0.5, distance: 2,
        offset: 0.5),
      Simulation(
        objective: "max f1", clusters: 40, size: 25, share: 0.5, distance: 2, offset: 0.3),
      Simulation(
        objective: "max f1", clusters: 200, size: 10, share: 0.3, distance: 1.5, offset: 0),
      Simulation(
        objective: "min cost", clusters: 100, size: 6, share: 0.5, distance: 2, offset: 0.5),
    ])
  private func `the interval covers the known best threshold in 93 to 97 of 100 simulations`(
    simulation: Simulation
  ) throws {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init)
      ?? Self.usualRepetitions
    let prices = (falsePositive: 2.0, miss: 1.0)
    let objective = try Objective(parsing: simulation.objective)
    let metric = try #require(ThresholdMetric(named: objective.metric, prices: prices))
    let truth = try bestThreshold(
      metric, share: simulation.share, distance: simulation.distance, offset: simulation.offset)
    let search = try ThresholdSearch(objective, prices: prices)
    var generator = SplitMix64(seed: 11)
    var (covered, width) = (0, 0.0)
    for _ in 0..<repetitions {
      let cases = normalScores(
        clusters: simulation.clusters, size: simulation.size, share: simulation.share,
        distance: simulation.distance, offset: simulation.offset, using: &generator)
      let interval = try ThresholdRecommendation(
        cases, search: search, bootstrap: ClusterBootstrap(resamples: 300)
      ).thresholdInterval
      let (low, high) = (try #require(interval.low), try #require(interval.high))
      if low <= truth, truth <= high { covered += 1 }
      width += high - low
    }
    let share = Double(covered) / Double(repetitions)
    print(
      "\(simulation.testDescription): covers \(share) of \(repetitions), "
        + "mean width \(width / Double(repetitions)), truth \(truth)")
    let chance = 3 * (0.95 * 0.05 / Double(repetitions)).squareRoot()
    #expect(share >= 0.93 - chance && share <= 0.97 + chance)
  }

  #if DEBUG
    private static let usualRepetitions = 20
  #else
    private static let usualRepetitions = 1000
  #endif

  @Test func `the same cases give the same intervals, in whatever order they come`() throws {
    var generator = SplitMix64(seed: 2)
    let cases = normalScores(
      clusters: 20, size: 5, share: 0.5, distance: 2, offset: 0, using: &generator)
    let search = try ThresholdSearch(Objective(parsing: "max f1"))
    let first = try ThresholdRecommendation(cases, search: search)
    #expect(
      try ThresholdRecommendation(cases.shuffled(using: &generator), search: search) == first)
    let other = try ThresholdRecommendation(
      cases, search: search, bootstrap: ClusterBootstrap(seed: 2))
    #expect(other.thresholdInterval != first.thresholdInterval)
    #expect(other.optimum == first.optimum)
    #expect(try #require(first.optimism) >= 0)
    #expect(try #require(first.valueInterval.low) < first.optimum.value)
  }

  @Test func `a metric that hardly changes is flat, and an optimum at the end is at the edge`()
    throws
  {
    var generator = SplitMix64(seed: 3)
    // Both classes score alike, so that every threshold is as good.
    let alike = (0..<400).map { index in
      ScoredCase(
        score: generator.share(), isPositive: generator.below(2) == 1, cluster: index % 40)
    }
    let accuracy = try ThresholdRecommendation(
      alike, search: ThresholdSearch(Objective(parsing: "max balanced_accuracy")), tolerance: 0.2)
    #expect(
      accuracy.warnings.contains {
        if case .flat(let change, let tolerance) = $0 {
          change > 0 && tolerance == 0.2
        } else {
          false
        }
      })
    let all = try ThresholdRecommendation(
      alike, search: ThresholdSearch(Objective(parsing: "max accepted_share")))
    #expect(all.warnings.contains(.lowestTried) && !all.warnings.contains(.highestTried))
    let precise = try ThresholdRecommendation(
      alike, search: ThresholdSearch(Objective(parsing: "min fp_per_minute"), within: 0...1),
      minutes: Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, 1) }))
    #expect(precise.optimum.threshold == 1 && precise.warnings.contains(.highestTried))
    let sharp = try ThresholdRecommendation(
      normalScores(
        clusters: 50, size: 10, share: 0.5, distance: 2, offset: 0, using: &generator),
      search: ThresholdSearch(Objective(parsing: "max f1")), tolerance: 1e-6)
    #expect(sharp.warnings.isEmpty)
  }

  @Test
  func `the highest recall within a limit of false positives a minute counts resampled minutes`()
    throws
  {
    // Cluster k has k minutes and one false positive, which scores 0.5; all positives score 0.9 or 0.1.
    let cases = (1...12).flatMap { cluster in
      [
        ScoredCase(score: 0.9, isPositive: true, cluster: cluster),
        ScoredCase(score: 0.1, isPositive: true, cluster: cluster),
        ScoredCase(score: 0.5, isPositive: false, cluster: cluster),
      ]
    }
    let minutes = Dictionary(uniqueKeysWithValues: (1...12).map { ($0, Double($0)) })
    func recommend(_ limit: String) throws -> ThresholdRecommendation {
      try ThresholdRecommendation(
        cases,
        search: ThresholdSearch(
          Objective(parsing: "max recall where fp_per_minute <= \(limit)"), within: 0...1),
        minutes: minutes)
    }
    // 12 in 78 minutes are 0.154 a minute.
    #expect(try recommend("0.16").optimum.threshold == 0.1)
    let strict = try recommend("0.15")
    #expect(strict.optimum.threshold == 0.9 && strict.optimum.value == 0.5)
    #expect(strict.thresholdInterval.low == 0.1 && strict.thresholdInterval.high == 0.9)
    var missing = minutes
    missing[4] = nil
    #expect(throws: CalibrationError.self) {
      _ = try ThresholdRecommendation(
        cases, search: ThresholdSearch(Objective(parsing: "max f1")), minutes: missing)
    }
  }

  @Test
  func
    `within a range a threshold between two scores is its upper end, and an empty one is refused`()
    throws
  {
    let curve = try ScoreCurve([
      ScoredCase(score: 0.2, isPositive: false), ScoredCase(score: 0.95, isPositive: true),
    ])
    let search = try ThresholdSearch(Objective(parsing: "max f1"), within: 0.1...0.9)
    let optimum = try search.optimum(of: curve)
    #expect(optimum.threshold == 0.9 && optimum.value == 1 && optimum.isHighest)
    let whole = try ThresholdSearch(Objective(parsing: "max f1")).optimum(of: curve)
    #expect(whole.threshold == 0.95 && whole.isHighest && !whole.isLowest)
    #expect(throws: CalibrationError.self) {
      _ = try ThresholdSearch(Objective(parsing: "max f1"), within: 0...Double.infinity)
    }
    #expect(throws: CalibrationError.self) {
      _ = try ThresholdSearch(
        Objective(parsing: "min cost"), prices: (falsePositive: .nan, miss: 1))
    }
    let error = #expect(throws: CalibrationError.self) {
      _ = try ThresholdSearch(Objective(parsing: "max f1 where fp_per_minute < 1"))
        .optimum(of: curve)
    }
    #expect(error?.description.contains("minutes") == true)
    #expect(throws: CalibrationError.self) {
      _ = try ThresholdSearch(Objective(parsing: "max recall where precision > 1")).optimum(
        of: curve)
    }
    let few = try ThresholdRecommendation(
      [ScoredCase(score: 0.2, isPositive: true)],
      search: ThresholdSearch(Objective(parsing: "max f1")))
    #expect(few.thresholdInterval.low == nil && few.thresholdInterval.reason != nil)
  }
}
