import Calibration
import Foundation
import Metrics
import Statistics
import TestSupport
import Testing

@Suite("Calibrating scores")
struct ScoreFitTests {
  /// Scores that are true with the probability that `truth` gives.
  private func cases(
    _ count: Int, clusters: Int = 40, seed: UInt64 = 6, truth: (Double) -> Double
  ) -> [ScoredCase] {
    var stream = SplitMix64(seed: seed)
    return (0..<count).map { index in
      let score = stream.share()
      return ScoredCase(
        score: score, isPositive: stream.share() < truth(score), cluster: index % clusters)
    }
  }

  @Test
  func `auto keeps the method of least held-out likelihood loss, and each method alone agrees`()
    throws
  {
    let cases = cases(2000) { 0.1 + 0.8 * $0 * $0 }
    let fit = try ScoreFit(of: .detection, cases: cases)
    let attempts = fit.calibration.attempts
    #expect(attempts.map(\.method) == ["platt", "temperature", "isotonic", "beta", "histogram"])
    let losses = attempts.compactMap(\.negativeLogLikelihood)
    let after = fit.calibration.after
    #expect(after.negativeLogLikelihood == losses.min())
    let before = try #require(fit.calibration.before)
    #expect(after.expectedError < before.expectedError / 2)
    for attempt in attempts {
      let choice = try #require(CalibrationChoice(rawValue: attempt.method))
      let alone = try ScoreFit(of: .detection, cases: cases, by: choice)
      #expect(alone.calibration.after.negativeLogLikelihood == attempt.negativeLogLikelihood)
      #expect(alone.calibration.attempts == [attempt])
    }
    #expect(fit.before.count == 2000 && fit.after.count == 2000)
    #expect(CalibrationMetrics(fit.after) == after && CalibrationMetrics(fit.before) != after)
  }

  /// Maps of scores that are right are noise; the interval of the gain shows it.
  @Test func `scores that are right are left as they are, in 95 of 100`() throws {
    let repetitions =
      ProcessInfo.processInfo.environment["FACEGAUGE_REPETITIONS"].flatMap(Int.init)
      ?? Self.usualRepetitions
    for (clusters, size) in [(10, 30), (40, 10)] {
      var kept = 0
      for seed in 0..<repetitions {
        let right = cases(clusters * size, clusters: clusters, seed: UInt64(100 + seed)) { $0 }
        if (try? ScoreFit(of: .detection, cases: right)) != nil { kept += 1 }
      }
      let share = Double(kept) / Double(repetitions)
      print("\(clusters) clusters of \(size): calibrated in \(share) of \(repetitions)")
      #expect(share <= 0.05 + 3 * (0.05 * 0.95 / Double(repetitions)).squareRoot())
    }
    let error = #expect(throws: CalibrationError.self) {
      _ = try ScoreFit(of: .detection, cases: cases(300, clusters: 10) { $0 })
    }
    #expect(error?.description.contains("the best lowers the negative log-likelihood by") == true)
  }

  @Test func `a requested method is fitted, and whether its held-out gain is shown is reported`()
    throws
  {
    let right = try ScoreFit(
      of: .detection, cases: cases(300, clusters: 10) { $0 }, by: .histogram)
    #expect(try #require(right.calibration.gain).isShown == false)
    let wrong = try ScoreFit(
      of: .detection, cases: cases(2000) { 0.1 + 0.8 * $0 * $0 }, by: .platt)
    let gain = try #require(wrong.calibration.gain)
    let (before, after) = (try #require(wrong.calibration.before), wrong.calibration.after)
    #expect(gain.isShown)
    #expect(
      abs(gain.value - (before.negativeLogLikelihood - after.negativeLogLikelihood)) < 1e-12)
  }

  @Test func `auto keeps no map that turns the order of the scores around`() throws {
    // The first is negative and the last positive: a rising map is level but for its ends.
    let falling = (0..<2004).map { index in
      let score = (Double(index) + 0.5) / 2004
      let isPositive = Double((index + 7) * 7 % 10) + 0.5 < 9 - 8 * score
      return ScoredCase(score: score, isPositive: isPositive, cluster: index % 40)
    }
    let error = #expect(throws: CalibrationError.self) {
      _ = try ScoreFit(of: .detection, cases: falling)
    }
    #expect(error?.description.contains("detection scores: higher scores go with") == true)
    let named = try ScoreFit(of: .detection, cases: falling, by: .platt)
    #expect(named.calibration.calibrator.calibrated(0) > 0.5)
  }

  #if DEBUG
    private static let usualRepetitions = 10
  #else
    private static let usualRepetitions = 100
  #endif

  @Test func `scores beyond [0, 1] are calibrated by the methods that can`() throws {
    let cases = cases(1000) { $0 }.map { one in
      ScoredCase(
        score: 8 * one.score - 4, isPositive: one.positive > 0, cluster: one.cluster)
    }
    let fit = try ScoreFit(of: .detection, cases: cases)
    #expect(fit.calibration.before == nil && fit.before.count < 1000)
    let failed = fit.calibration.attempts.filter { $0.reason != nil }.map(\.method)
    #expect(failed == ["temperature", "beta", "histogram"])
  }

  @Test func `one class, few clusters and broken scores are refused`() throws {
    let good = cases(400) { $0 }
    let cases: [([ScoredCase], String)] = [
      ([], "there are no cases"),
      (good.filter { $0.positive > 0 }, "are positive, both kinds are needed"),
      (good.filter { $0.positive == 0 }, "are negative, both kinds are needed"),
      (
        good.map {
          ScoredCase(score: $0.score, isPositive: $0.positive > 0, cluster: $0.cluster % 3)
        },
        "as folds (5), found 3 (--folds 3)"
      ),
      (good + [ScoredCase(score: .nan, isPositive: true)], "case 401"),
      (good + [.missed()], "a miss"),
      (
        good.map { ScoredCase(score: 0.5, isPositive: $0.positive > 0, cluster: $0.cluster) },
        "all scores are 0.5"
      ),
    ]
    for (cases, reason) in cases {
      let error = #expect(throws: CalibrationError.self) {
        _ = try ScoreFit(of: .detection, cases: cases)
      }
      #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains("\n") == false)
    }
  }
}
