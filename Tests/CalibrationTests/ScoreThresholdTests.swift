import Calibration
import Metrics
import Records
import Statistics
import TestSupport
import Testing

@Suite("Thresholds of detections")
struct ScoreThresholdTests {
  /// True scores lie high, false ones low, and each cluster has one face that nothing finds.
  private func cases(seed: UInt64 = 3) -> [ScoredCase] {
    var stream = SplitMix64(seed: seed)
    return (0..<30).flatMap { cluster in
      (0..<12).map { _ in
        let isTrue = stream.share() < 0.6
        let score = isTrue ? 0.3 + 0.7 * stream.share() : 0.6 * stream.share()
        return ScoredCase(score: score, isPositive: isTrue, cluster: cluster)
      } + [.missed(cluster: cluster)]
    }
  }

  private func threshold(
    _ objective: String, minutes: [Int: Double]? = nil
  ) throws -> ScoreThreshold {
    try ScoreThreshold(
      of: .detection, cases: cases(), present: 0.1,
      search: ThresholdSearch(Objective(parsing: objective)), minutes: minutes,
      bootstrap: ClusterBootstrap(resamples: 200))
  }

  @Test func `have the metric that counting at the threshold gives, and missed faces count`() throws
  {
    let found = try threshold("max f1")
    func f1(_ threshold: Double) -> Double {
      let accepted = cases().filter { $0.score >= threshold }
      let hits = accepted.reduce(0) { $0 + $1.positive }
      let wrong = accepted.reduce(0) { $0 + $1.negative }
      let all = cases().reduce(0) { $0 + $1.positive }
      return 2 * hits / (hits + wrong + all)
    }
    #expect(abs(f1(found.threshold) - found.metric) < 1e-12)
    #expect(abs(f1(0.1) - (found.presentMetric ?? 0)) < 1e-12)
    #expect((1...99).allSatisfy { f1(Double($0) / 100) <= found.metric + 1e-12 })
    #expect(found.positives == cases().reduce(0) { $0 + $1.positive } && found.cases == 390)
    #expect(try #require(found.heldOut) <= found.metric && found.metric > found.presentMetric ?? 1)
    let (low, high) = (
      try #require(found.metricInterval.low), try #require(found.metricInterval.high)
    )
    #expect(low < found.metric && high < 1 && low < high)
    #expect(found.interval.low != nil && found.limits == nil)
  }

  @Test(arguments: [(0.70, 0.71), (0.4, 0.9), (0.89, 0.9), (-1.3, -1.2)])
  func `decide about scores that are stored as floats as they are reported to`(
    wrong: Double, right: Double
  ) throws {
    func stored(_ score: Double) -> Double { Double(Float(score)) }
    let cases = (0..<30).flatMap { cluster in
      [(wrong, false), (right, true)].map {
        ScoredCase(score: stored($0), isPositive: $1, cluster: cluster)
      }
    }
    let found = try ScoreThreshold(
      of: .detection, cases: cases, present: wrong,
      search: ThresholdSearch(Objective(parsing: "max f1")),
      bootstrap: ClusterBootstrap(resamples: 20))
    #expect(found.metric == 1)
    #expect(stored(wrong) < stored(found.threshold) && stored(found.threshold) <= stored(right))
  }

  @Test func `count a score that equals the present threshold as it is stored`() throws {
    let cases = (0..<30).flatMap { cluster in
      [0.9, 0.3].map {
        ScoredCase(score: Double(Float($0)), isPositive: $0 > 0.5, cluster: cluster)
      }
    }
    // The float of 0.9 is a little less than the double, that of 0.3 a little more.
    for (present, f1) in [(0.9, 1), (0.3, 2 / 3.0)] {
      let found = try ScoreThreshold(
        of: .detection, cases: cases, present: present,
        search: ThresholdSearch(Objective(parsing: "max f1")),
        bootstrap: ClusterBootstrap(resamples: 20))
      #expect(found.presentMetric == f1)
    }
  }

  @Test func `warn where a better precision costs recall, and lie in their interval`() throws {
    let found = try threshold("max precision")
    let warning = try #require(found.warnings.first)
    #expect(warning.hasPrefix("recall falls from "))
    #expect(warning.contains(" at the present threshold to "))
    #expect(warning.contains("write 'where recall >= 0."))
    let (low, high) = (try #require(found.interval.low), try #require(found.interval.high))
    #expect(low <= found.threshold && found.threshold <= high)
    for objective in ["max f1", "max recall where precision >= 0.5", "min miss_rate"] {
      let other = try threshold(objective)
      #expect(!other.warnings.contains { $0.hasPrefix("recall falls") })
    }
  }

  @Test func `keep limits, of false positives a minute too, with a confidence`() throws {
    let minutes = Dictionary(uniqueKeysWithValues: (0..<30).map { ($0, 0.5) })
    let plain = try threshold("max recall where fp_per_minute <= 2", minutes: minutes)
    let sure = try threshold("max recall where fp_per_minute <= 2 with 95 %", minutes: minutes)
    #expect(sure.threshold > plain.threshold && sure.limits?.plainThreshold == plain.threshold)
    #expect(sure.heldOut != nil && sure.limits?.brokenShare != nil)
    #expect(throws: CalibrationError.self) { _ = try threshold("min fp_per_minute") }
  }

  @Test func `count false positives a minute alike in whatever order the minutes come`() throws {
    var found: Set<Double> = []
    for capacity in [30, 100, 300, 1000, 3000, 10_000, 30_000] {
      // The capacity decides the order.
      var minutes = [Int: Double](minimumCapacity: capacity)
      for cluster in 0..<30 { minutes[cluster] = 1 / Double(3 * cluster + 1) }
      let one = try threshold("min fp_per_minute where recall >= 0.5", minutes: minutes)
      found.insert(try #require(one.presentMetric))
    }
    #expect(found.count == 1)
  }

  @Test(
    arguments: ["max specificity", "max accuracy", "min cost", "max f1 where accepted_share > 0.1"])
  func `are refused for metrics of true negatives`(objective: String) {
    let error = #expect(throws: CalibrationError.self) { _ = try threshold(objective) }
    #expect(error?.description.contains("true negatives") == true)
  }
}
