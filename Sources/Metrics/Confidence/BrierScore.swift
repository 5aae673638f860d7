/// The mean squared difference of claim and outcome, and what it is made of.
///
/// `score = reliability − resolution + uncertainty + withinBins`, exactly but for rounding. In [0, 1],
/// lower is better.
///
/// Source: Brier 1950; Murphy 1973; the terms within bins: Stephenson et al. 2008.
package struct BrierScore: Sendable, Hashable {
  /// Mean of (confidence − outcome)².
  package let score: Double
  /// Mean over all of the squared gap of their bin; 0 is best.
  package let reliability: Double
  /// How far the bins' outcomes lie from the mean outcome, squared; more is better.
  package let resolution: Double
  /// Variance of the outcomes, which no confidence can change.
  package let uncertainty: Double
  /// What the spread of confidences inside the bins adds.
  package let withinBins: Double

  /// Scores what the bins hold; nil where they hold nothing.
  package init?(_ reliabilityBins: ReliabilityBins) {
    guard reliabilityBins.count > 0 else { return nil }
    let total = Double(reliabilityBins.count)
    let bins = reliabilityBins.bins.map {
      (members: $0.members, confidence: $0.meanConfidence, outcome: $0.meanOutcome)
    }
    let mean =
      bins.reduce(0) { $0 + $1.members.reduce(0) { $0 + $1.outcome } } / total
    var (score, reliability, resolution, uncertainty, withinBins) = (0.0, 0.0, 0.0, 0.0, 0.0)
    for bin in bins {
      let weight = Double(bin.members.count)
      reliability += weight * (bin.confidence - bin.outcome) * (bin.confidence - bin.outcome)
      resolution += weight * (bin.outcome - mean) * (bin.outcome - mean)
      for evaluated in bin.members {
        let gap = evaluated.confidence - evaluated.outcome
        score += gap * gap
        uncertainty += (evaluated.outcome - mean) * (evaluated.outcome - mean)
        let spread = evaluated.confidence - bin.confidence
        withinBins += spread * spread - 2 * spread * (evaluated.outcome - bin.outcome)
      }
    }
    self.score = score / total
    self.reliability = reliability / total
    self.resolution = resolution / total
    self.uncertainty = uncertainty / total
    self.withinBins = withinBins / total
  }
}
