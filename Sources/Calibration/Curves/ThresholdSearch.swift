internal import Metrics
internal import Records

/// The threshold that an objective prefers on a curve.
package struct OptimumThreshold: Sendable, Hashable {
  /// The threshold; of equally good ones the highest.
  package let threshold: Double
  /// The objective's metric there.
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
  private let metrics: [ThresholdMetric]
}

extension ThresholdSearch {
  /// Looks the names up; throws for unknown ones, with the nearest, and for a goal that is the worst of its metric.
  ///
  /// `prices` are what `cost` means.
  package init(
    _ objective: Objective, within range: ClosedRange<Double>? = nil,
    prices: (falsePositive: Double, miss: Double) = (falsePositive: 1, miss: 1)
  ) throws(CalibrationError) {
    guard [prices.falsePositive, prices.miss].allSatisfy({ (0..<Double.infinity).contains($0) })
    else { throw .malformedPrices(prices.falsePositive, prices.miss) }
    if let range, !(range.lowerBound.isFinite && range.upperBound.isFinite) {
      throw .emptyRange(range.lowerBound, range.upperBound)
    }
    var metrics: [ThresholdMetric] = []
    for name in objective.names {
      guard let metric = ThresholdMetric(named: name, prices: prices) else {
        throw .unknownMetric(name, among: ThresholdMetric.names)
      }
      metrics.append(metric)
    }
    self.init(objective: objective, range: range, metrics: metrics)
    try objective.checkDirection(goal == .acceptedShare ? nil : goal.better)
  }

  /// What is made as high or low as can be.
  var goal: ThresholdMetric { metrics[0] }

  /// Whether a metric counts false positives by the minute.
  var needsMinutes: Bool { metrics.contains(.falsePositivesPerMinute) }

  /// The best threshold of a curve; throws with the reason if there is none.
  ///
  /// Candidates are the scores, and within a range also its upper end, which accepts what the next higher
  /// score does.
  package func optimum(of curve: ScoreCurve) throws(CalibrationError) -> OptimumThreshold {
    try choice(of: curve).get()
  }

  /// The same where no threshold is nothing to stop for.
  func choice(of curve: ScoreCurve) -> Result<OptimumThreshold, CalibrationError> {
    if let reason = missing(curve) { return .failure(reason) }
    let candidates = candidates(of: curve)
    let choice = objective.choice(among: candidates.indices) { position, index in
      metrics[position].value(of: curve.counts(ofFirst: index + 1))
    }
    switch choice {
    case .infeasible(let reason): return .failure(.unmet(objective, reason))
    case .best(let index, let value):
      return .success(candidates.optimum(at: index, value: value, of: curve))
    }
  }

  /// Why a curve cannot be searched; nil where it can.
  func missing(_ curve: ScoreCurve) -> CalibrationError? {
    needsMinutes && curve.minutes == nil
      ? .noThreshold(
        "fp_per_minute needs detections in clips alone, of two frames or more each: stills and "
          + "expressions have no minutes (use precision)")
      : nil
  }

  /// The thresholds of a curve that may be chosen: its scores, and within a range also the upper end.
  struct Candidates: Sendable {
    /// Positions among the curve's thresholds; the upper end stands before the first that it accepts.
    let indices: Range<Int>
    /// The upper end of the range, where it is no score.
    let end: Double?

    /// The threshold at a position.
    func threshold(at index: Int, of curve: ScoreCurve) -> Double {
      end.flatMap { index == indices.lowerBound ? $0 : nil } ?? curve.thresholds[index]
    }

    /// A position as what was chosen.
    func optimum(at index: Int, value: Double, of curve: ScoreCurve) -> OptimumThreshold {
      OptimumThreshold(
        threshold: threshold(at: index, of: curve), value: value,
        counts: curve.counts(ofFirst: index + 1), isLowest: index == indices.upperBound - 1,
        isHighest: index == indices.lowerBound)
    }

    /// At most this many positions, evenly spread, including both ends.
    func spread(_ maxCount: Int) -> [Int] {
      guard indices.count > maxCount else { return Array(indices) }
      return (0..<maxCount).map { indices.lowerBound + $0 * (indices.count - 1) / (maxCount - 1) }
    }
  }

  /// The thresholds that may be chosen on a curve.
  func candidates(of curve: ScoreCurve) -> Candidates {
    guard let range else { return Candidates(indices: 0..<curve.thresholds.count, end: nil) }
    let from = curve.accepted(above: range.upperBound)
    let own = from..<max(from, curve.accepted(at: range.lowerBound))
    let isScore = !own.isEmpty && curve.thresholds[from] == range.upperBound
    // The upper end stands before the first candidate and accepts what stands there.
    return isScore
      ? Candidates(indices: own, end: nil)
      : Candidates(indices: own.lowerBound - 1..<own.upperBound, end: range.upperBound)
  }

  /// The metrics of the objective and of its limits at some thresholds: a row per metric.
  func values(of counts: [OperatingCounts]) -> [[Double?]] {
    metrics.map { metric in counts.map { metric.value(of: $0) } }
  }

  /// Whether all limits hold on some counts, without their confidence.
  func limitsHold(on counts: OperatingCounts) -> Bool {
    zip(objective.limits, metrics.dropFirst()).allSatisfy { limit, metric in
      metric.value(of: counts).map { limit.relation.holds($0, limit.bound) } ?? false
    }
  }

  /// The bounds of the limits that have a confidence; `values` and `draws` are by metric, then by candidate.
  func bounds(
    values: [[Double?]], draws: [[[Double?]]], clusters: ClusterSizes
  ) -> [LimitBounds?] {
    objective.limits.indices.map { index in
      objective.limits[index].confidence.map {
        LimitBounds(
          objective.limits[index], confidence: $0, kind: metrics[index + 1].kind,
          values: values[index + 1], draws: draws.map { $0[index + 1] }, clusters: clusters)
      }
    }
  }

  /// The same search without confidences.
  var unguarded: ThresholdSearch {
    ThresholdSearch(objective: objective.unguarded, range: range, metrics: metrics)
  }

  /// The names of metrics that count true negatives, which detections do not have.
  package var namesOfNegatives: [String] {
    zip(objective.names, metrics).filter { $1.countsNegatives }.map(\.0)
  }
}
