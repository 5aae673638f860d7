internal import Records

/// The threshold that an objective prefers on a curve.
package struct OptimumThreshold: Sendable, Hashable {
  /// The threshold; of equally good ones the highest.
  package let threshold: Double
  /// The objective's figure there.
  package let value: Double
  /// Everything else there.
  package let counts: OperatingCounts
  /// Whether no lower threshold was there to try.
  package let isLowest: Bool
  /// Whether no higher threshold was there to try.
  package let isHighest: Bool
}

/// An objective over thresholds, with its names looked up once.
package struct ThresholdSearch: Sendable {
  /// What is searched for.
  package let objective: Objective
  /// Where; nil means at any score.
  package let range: ClosedRange<Double>?
  private let figures: [ThresholdFigure]

  /// Looks the names up; throws for unknown ones, with the nearest.
  ///
  /// `prices` are what `cost` means.
  package init(
    _ objective: Objective, within range: ClosedRange<Double>? = nil,
    prices: (falsePositive: Double, miss: Double) = (falsePositive: 1, miss: 1)
  ) throws(CalibrationError) {
    self.objective = objective
    self.range = range
    guard [prices.falsePositive, prices.miss].allSatisfy({ (0..<Double.infinity).contains($0) })
    else { throw .malformedPrices(prices.falsePositive, prices.miss) }
    if let range, !(range.lowerBound.isFinite && range.upperBound.isFinite) {
      throw .emptyRange(range.lowerBound, range.upperBound)
    }
    var figures: [ThresholdFigure] = []
    for name in objective.names {
      guard let figure = ThresholdFigure(named: name, prices: prices) else {
        throw .unknownFigure(name, among: ThresholdFigure.names)
      }
      figures.append(figure)
    }
    self.figures = figures
  }

  /// What is made as high or low as can be.
  var goal: ThresholdFigure { figures[0] }

  /// Whether a figure counts false positives by the minute.
  var needsMinutes: Bool { figures.contains(.falsePositivesPerMinute) }

  /// The best threshold of a curve; throws where none will do, and says why.
  ///
  /// Candidates are the scores, and within a range also its upper end, which accepts what the next higher
  /// score does.
  package func optimum(of curve: ScoreCurve) throws(CalibrationError) -> OptimumThreshold {
    switch choice(of: curve) {
    case .success(let optimum): return optimum
    case .failure(let error): throw error
    }
  }

  /// The same where no threshold is nothing to stop for.
  func choice(of curve: ScoreCurve) -> Result<OptimumThreshold, CalibrationError> {
    if needsMinutes, curve.minutes == nil {
      return .failure(.noThreshold("fp_per_minute needs the minutes that were looked at"))
    }
    var candidates = 0..<curve.thresholds.count
    var end: Double?
    if let range {
      let from = curve.accepted(above: range.upperBound)
      candidates = from..<max(from, curve.accepted(at: range.lowerBound))
      if candidates.isEmpty || curve.thresholds[from] != range.upperBound {
        end = range.upperBound
      }
    }
    // The upper end stands before the first candidate and accepts what stands there.
    let first = end == nil ? candidates.lowerBound : candidates.lowerBound - 1
    let choice = objective.choice(among: first..<candidates.upperBound) { place, index in
      figures[place].value(of: curve.counts(ofFirst: index + 1))
    }
    switch choice {
    case .infeasible(let reason):
      return .failure(.noThreshold("\(objective): \(reason)"))
    case .best(let index, let value):
      return .success(
        OptimumThreshold(
          threshold: end.flatMap { index == first ? $0 : nil } ?? curve.thresholds[index],
          value: value,
          counts: curve.counts(ofFirst: index + 1), isLowest: index == candidates.upperBound - 1,
          isHighest: index == first))
    }
  }
}
