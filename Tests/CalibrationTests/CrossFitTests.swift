import Calibration
import Metrics
import Statistics
import TestSupport
import Testing

/// Scores that claim too much: the outcome's probability is closer to a half.
private func overconfident(_ count: Int, clusters: Int, seed: UInt64) -> [ScoredCase] {
  var generator = SplitMix64(seed: seed)
  return (0..<count).map { index in
    let score = generator.share()
    return ScoredCase(
      score: score, isPositive: generator.share() < 0.5 + (score - 0.5) * 0.4,
      cluster: index % clusters)
  }
}

@Suite("Cross-fitting")
struct CrossFitTests {
  @Test(arguments: CalibrationMethod.allCases)
  func `no case is calibrated by a map that saw its cluster`(method: CalibrationMethod) throws {
    let cases = overconfident(600, clusters: 30, seed: 4)
    let folds = try ClusterFolds(of: cases.map(\.cluster), folds: 5, seed: 9)
    let fit = try CrossFit(method, cases: cases, folds: folds)
    for fold in 0..<5 {
      let others = cases.filter { folds.fold(of: $0.cluster) != fold }
      let alone = try Calibrator(method, fitting: others)
      for (one, calibrated) in zip(cases, fit.calibrated)
      where folds.fold(of: one.cluster) == fold {
        #expect(alone.calibrated(one.score) == calibrated)
      }
    }
    // Turning all outcomes of one cluster round leaves its own probabilities as they are.
    let turned = cases.map { one in
      one.cluster == 3
        ? ScoredCase(score: one.score, isPositive: one.positive == 0, cluster: 3) : one
    }
    let again = try CrossFit(method, cases: turned, folds: folds)
    for (index, one) in cases.enumerated() where one.cluster == 3 {
      #expect(again.calibrated[index] == fit.calibrated[index])
    }
    #expect(again.calibrated != fit.calibrated)
    let before = try #require(fit.before)
    #expect(fit.after.expectedError < before.expectedError)
    #expect(fit.after.brierScore < before.brierScore)
    // An isotonic curve that is sure at its ends pays for one outcome that it never saw there.
    #expect(
      method == .isotonic
        || fit.after.negativeLogLikelihood < before.negativeLogLikelihood)
  }

  @Test func `folds depend on the seed alone, are of even size and keep clusters whole`() throws {
    let clusters = (0..<103).map { $0 * 7 - 50 }
    let folds = try ClusterFolds(of: clusters + clusters, folds: 10, seed: 2)
    #expect(try ClusterFolds(of: clusters.reversed(), folds: 10, seed: 2) == folds)
    #expect(try ClusterFolds(of: clusters, folds: 10, seed: 3) != folds)
    let sizes = Dictionary(grouping: clusters) { folds.fold(of: $0) ?? -1 }.mapValues(\.count)
    #expect(sizes.count == 10 && sizes.values.allSatisfy { (10...11).contains($0) })
    #expect(folds.fold(of: 1) == nil)
  }

  @Test func `too few clusters, one fold and a fold without a class are refused with the reason`()
    throws
  {
    let cases = overconfident(40, clusters: 4, seed: 1)
    for (count, reason) in [(1, "2 folds or more"), (5, "found 4")] {
      let error = #expect(throws: CalibrationError.self) {
        _ = try ClusterFolds(of: cases.map(\.cluster), folds: count)
      }
      #expect(error?.description.contains(reason) == true)
    }
    let folds = try ClusterFolds(of: cases.map(\.cluster), folds: 2)
    let oneSided = cases.map {
      ScoredCase(
        score: $0.score, isPositive: folds.fold(of: $0.cluster) == 0, cluster: $0.cluster)
    }
    let error = #expect(throws: CalibrationError.self) {
      _ = try CrossFit(.isotonic, cases: oneSided, folds: folds)
    }
    #expect(error?.description.contains("without fold 1 of 2") == true)
    #expect(throws: CalibrationError.self) {
      _ = try CrossFit(
        .isotonic, cases: cases + [ScoredCase(score: 0, isPositive: true, cluster: 99)],
        folds: folds)
    }
  }

  @Test func `scores that are no probabilities have metrics after, and none before`() throws {
    let cases = overconfident(200, clusters: 10, seed: 8).map { one in
      var moved = one
      moved.score = one.score * 10 - 5
      return moved
    }
    let folds = try ClusterFolds(of: cases.map(\.cluster))
    let fit = try CrossFit(.platt, cases: cases, folds: folds)
    #expect(fit.before == nil && fit.after.expectedError < 0.2)
  }
}
