internal import Foundation
package import Statistics

/// Scores whether a candidate takes longer than a base by more than noise and a tolerance allow.
///
/// For each stage the median of rᵢ = ln(Bᵢ / Aᵢ) gets a block-bootstrap interval; a block is what was measured
/// between two starts of the processes. The tolerance is
/// δ = max(`minTolerance`, 3σ), where σ² is the squared median of ln(Aʹᵢ / Aᵢ) of the base against itself plus
/// its bootstrap variance: the truth there is 0, so a bias counts as noise too. A stage fails where the lower
/// bound is above ln(1 + δ), adjusted over the stages; it passes where the upper bound is below and δ is at most
/// `maxWidening` times what was asked; between, it is inconclusive and more pairs are needed.
///
/// Where pairs are looked at repeatedly (`PairedLooks`), each look has a share of the error; bounds are then those of
/// repeated intervals, which hold at all looks together with the stated probability. Source: Jennison and Turnbull 1989.
package struct RelativeGate: Sendable, Hashable {
  /// The minimum slow-down that counts, as a share: 0.05 is 5 %.
  package var minTolerance = 0.05
  /// How many times the slow-down that was asked noise may allow before nothing passes.
  package var maxWidening = 2.0
  /// The stated probability of intervals, in (0, 1); half of the rest is what a verdict may err.
  package var level = 0.95
  /// How intervals are made.
  package var bootstrap = BlockBootstrap()
  /// A stage under this share of the total's median, in base and candidate, is shown and not evaluated.
  package var minShare = 0.01
  /// Minimum number of blocks for an interval; with fewer a stage is not evaluated.
  package var minBlocks = 10
  /// Minimum number of pairs.
  package var minPairs = 48
  /// The stage that holds the others, and whose tail is evaluated.
  package var total = "total"
  /// The percentiles of the tail.
  package var tailPercents = [90, 95]
  /// The minimum slow-downs of what gates ask for, by stage, or by stage and percentile such as `total.p95`.
  ///
  /// Nothing else is then evaluated. Nil evaluates every stage and the total's tail by `minTolerance`.
  package var asked: [String: Double]?

  /// Makes the gate with a tolerance of 5 % and intervals of 95 %.
  package init() {}

  /// Scores all stages together; p-values are one-sided and adjusted over them by Holm's method.
  ///
  /// `mayErr` is what a verdict of this look may err, in (0, 0.5]; nil where it is the only look.
  package func evaluate(
    _ stages: [StagePairs], mayErr: Double? = nil,
    using generator: inout some RandomNumberGenerator
  ) -> [RelativeFinding] {
    let mayErr = mayErr ?? (1 - level) / 2
    let whole = stages.first { $0.stage == total }.map(Self.typical) ?? 0
    var findings: [RelativeFinding] = []
    for pairs in stages where pairs.count > 0 {
      var stage = [slowDown(of: pairs, mayErr: mayErr, using: &generator)]
      let obstacle = obstacle(to: pairs, total: whole)
      let percents = tailPercents.filter { percent in
        guard let asked else { return pairs.stage == total && obstacle == nil }
        return asked["\(pairs.stage).p\(percent)"] != nil
      }
      for percent in percents {
        stage.append(tail(percent, of: pairs, mayErr: mayErr, using: &generator))
      }
      for var finding in stage {
        finding.isAsked = asked?[finding.stage] != nil
        if asked == nil || finding.isAsked {
          finding.untestedReason = obstacle?.reason
          finding.lacksPairs = obstacle?.lacksPairs ?? false
        } else {
          finding.untestedReason = "is shown, no gate asks for it"
        }
        findings.append(finding)
      }
    }
    let evaluated = findings.indices.filter { findings[$0].untestedReason == nil }
    for (index, p) in zip(evaluated, MultipleTesting.holm(evaluated.map { findings[$0].p })) {
      findings[index].adjustedP = p
      findings[index].decide(mayErr: mayErr, maxWidening: maxWidening)
    }
    return findings
  }

  /// Why a stage cannot be evaluated, and whether more pairs would help; nil where it can.
  private func obstacle(
    to pairs: StagePairs, total: Double
  ) -> (reason: String, lacksPairs: Bool)? {
    if Self.typical(pairs) < minShare * total {
      return ("takes under \(Int((minShare * 100).rounded())) % of the \(self.total)", false)
    }
    if pairs.count < minPairs {
      return ("ran in \(pairs.count) pairs, \(minPairs) are needed", true)
    }
    if pairs.blocks.count < minBlocks {
      return ("ran after \(pairs.blocks.count) starts, \(minBlocks) are needed", true)
    }
    return nil
  }

  private func minTolerance(of finding: String) -> Double { asked?[finding] ?? minTolerance }

  /// The larger of both medians, in nanoseconds.
  private static func typical(_ pairs: StagePairs) -> Double {
    max(middle(pairs.base), middle(pairs.candidate))
  }

  private static func middle(_ times: [UInt64]) -> Double {
    times.isEmpty ? 0 : times.map { Double($0) }.sorted().quantileOfSorted(0.5)
  }

  private func slowDown(
    of pairs: StagePairs, mayErr: Double, using generator: inout some RandomNumberGenerator
  ) -> RelativeFinding {
    let ratios = PairedRatios(base: pairs.base, candidate: pairs.candidate)
    let same = PairedRatios(base: pairs.base, candidate: pairs.again)
    func draws(_ ratios: PairedRatios) -> [Double] {
      bootstrap.medians(of: ratios.values, blocks: pairs.blocks, using: &generator)
    }
    let medians = draws(ratios)
    let sigma = Self.noise(same.median ?? 0, draws(same))
    let asked = minTolerance(of: pairs.stage)
    let tolerance = max(asked, 3 * sigma)
    return finding(
      pairs.stage, pairs, estimate: ratios.median ?? 0, hodgesLehmann: ratios.hodgesLehmann,
      medians, mayErr: mayErr, sigma: sigma, asked: asked, tolerance: tolerance,
      limit: log(1 + tolerance))
  }

  /// The difference of a percentile as a share of the base's, so that the limit is δ itself.
  private func tail(
    _ percent: Int, of pairs: StagePairs, mayErr: Double,
    using generator: inout some RandomNumberGenerator
  ) -> RelativeFinding {
    let base = pairs.base.map { Double($0) }
    let again = pairs.again.map { Double($0) }
    let candidate = pairs.candidate.map { Double($0) }
    let ones = [Int32](repeating: 1, count: pairs.count)
    let scale = max(RankedSample(base).percentile(percent, of: ones), 1)
    func difference(_ other: [Double]) -> Double {
      (RankedSample(other).percentile(percent, of: ones) - scale) / scale
    }
    func draws(_ other: [Double]) -> [Double] {
      bootstrap.percentileDifferences(
        percent, of: base, other, blocks: pairs.blocks, using: &generator
      ).map { $0 / scale }
    }
    let sigma = Self.noise(difference(again), draws(again))
    let asked = minTolerance(of: "\(pairs.stage).p\(percent)")
    let tolerance = max(asked, 3 * sigma)
    var finding = finding(
      "\(pairs.stage).p\(percent)", pairs, estimate: difference(candidate), hodgesLehmann: nil,
      draws(candidate), mayErr: mayErr, sigma: sigma, asked: asked, tolerance: tolerance,
      limit: tolerance)
    finding.percent = percent
    finding.baseNanoseconds = scale
    finding.candidateNanoseconds = RankedSample(candidate).percentile(percent, of: ones)
    return finding
  }

  /// The root mean square distance of an estimate from 0, its true value.
  private static func noise(_ estimate: Double, _ draws: [Double]) -> Double {
    let deviation = deviation(draws)
    return (estimate * estimate + deviation * deviation).squareRoot()
  }

  private static func deviation(_ draws: [Double]) -> Double {
    let mean = draws.reduce(0, +) / Double(max(draws.count, 1))
    return
      (draws.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(max(draws.count - 1, 1)))
      .squareRoot()
  }

  private func finding(
    _ name: String, _ pairs: StagePairs, estimate: Double, hodgesLehmann: Double?,
    _ draws: [Double], mayErr: Double, sigma: Double, asked: Double, tolerance: Double,
    limit: Double
  ) -> RelativeFinding {
    let blocks = pairs.blocks.count
    let outside = BlockBootstrap.tail(mayErr, blocks: blocks)
    return RelativeFinding(
      stage: name, pairs: pairs.count, baseNanoseconds: Self.middle(pairs.base),
      candidateNanoseconds: Self.middle(pairs.candidate), estimate: estimate,
      hodgesLehmann: hodgesLehmann, low: draws.quantileOfSorted(outside),
      high: draws.quantileOfSorted(1 - outside), sigma: sigma, asked: asked, tolerance: tolerance,
      limit: limit,
      p: BlockBootstrap.chance(
        of: (estimate - limit) / max(Self.deviation(draws), 1e-12), blocks: blocks))
  }
}
