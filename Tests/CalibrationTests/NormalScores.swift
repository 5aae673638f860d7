import Calibration
import Foundation
import Statistics
import TestSupport
import Testing

/// Scores of two classes, normal of width 1 about 0 and `distance`, with an offset a cluster.
func normalScores(
  clusters: Int, size: Int, share: Double, distance: Double, offset: Double,
  using generator: inout SplitMix64
) -> [ScoredCase] {
  func normal() -> Double {
    (-2 * log(generator.share())).squareRoot() * cos(2 * .pi * generator.share())
  }
  return (0..<clusters).flatMap { cluster in
    let shift = offset * normal()
    return (0..<size).map { _ in
      let isPositive = generator.share() < share
      return ScoredCase(
        score: normal() + shift + (isPositive ? distance : 0), isPositive: isPositive,
        cluster: cluster)
    }
  }
}

/// A metric at a threshold on infinitely many of these scores; a cost with its sign turned.
func trueValue(
  of metric: ThresholdMetric, at threshold: Double, share: Double, distance: Double,
  offset: Double
) -> Double {
  let width = (1 + offset * offset).squareRoot()
  func above(_ mean: Double) -> Double { erfc((threshold - mean) / width / 2.0.squareRoot()) / 2 }
  let (found, wrong) = (share * above(distance), (1 - share) * above(0))
  switch metric {
  case .balancedAccuracy: return (found / share + 1 - wrong / (1 - share)) / 2
  case .cost(let price, let miss): return -(price * wrong + miss * (share - found))
  default: return 2 * found / (found + wrong + share)
  }
}

/// The threshold that is best on infinitely many of these scores.
func bestThreshold(
  _ metric: ThresholdMetric, share: Double, distance: Double, offset: Double,
  among thresholds: [Double] = (-4000...6000).map { Double($0) / 1000 }
) throws -> Double {
  let values = thresholds.map {
    trueValue(of: metric, at: $0, share: share, distance: distance, offset: offset)
  }
  return try #require(zip(thresholds, values).max { $0.1 < $1.1 }).0
}
