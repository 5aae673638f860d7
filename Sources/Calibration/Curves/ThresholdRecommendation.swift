package import Metrics
internal import Platform
package import Records
internal import Statistics

/// What to know before a threshold is trusted.
package enum ThresholdWarning: Sendable, Hashable, CustomStringConvertible {
  /// The metric hardly changes over the threshold's interval, and no threshold there can be told from this one.
  case flat(change: Double, tolerance: Double)
  /// The best threshold is the lowest that was tried.
  case lowestTried
  /// The best threshold is the highest that was tried.
  case highestTried
  /// A limit just holds here; the share of resamples whose own choice breaks it on all data, nil where unknown.
  case limitAtEdge(share: Double?)

  /// One line without a full stop.
  package var description: String {
    switch self {
    case .flat(let change, let tolerance):
      "flat: the metric changes by \(change.shortText()) over the threshold's interval, no more than "
        + "\(tolerance.shortText()), and no threshold there can be told from this one (paired "
        + "differences)"
    case .lowestTried: "the best threshold is the lowest that was tried"
    case .highestTried: "the best threshold is the highest that was tried"
    case .limitAtEdge(let share):
      "this threshold was chosen because it just meets the limit here: "
        + LimitBounds.breaking("threshold", share)
        + "; write 'with 95 %' after the limit to keep it elsewhere too"
    }
  }
}

/// A threshold with how sure it is: found again in resamples of whole clusters.
///
/// The optimum of a metric over scores converges with the cube root of n, and there the bootstrap's own
/// distribution is not the estimate's. Its percentile interval still covers the best threshold about
/// as often as stated: 0.93 to 0.97 of simulated data sets, 0.97 in the limit, where 0.95 is stated; the basic
/// interval does not. The metric's interval is that of the threshold as it is, less the optimism
/// of having been picked on the same cases (`ChosenInterval`). A limit with a confidence is met where its bound
/// keeps it (`LimitBounds`), among 200 thresholds spread evenly over the scores. Sources: Kim and
/// Pollard 1990; Abrevaya and Huang 2005; optimism: Efron 1983.
package struct ThresholdRecommendation: Sendable, Hashable {
  /// The best threshold on all cases that meets the limits, with their confidence.
  package let optimum: OptimumThreshold
  /// The best threshold that meets the limits on these cases alone; nil where no limit has a confidence.
  package let plain: OptimumThreshold?
  /// The share of the resamples whose own best threshold of that kind breaks a limit on all cases.
  package let brokenShare: Double?
  /// Where the best threshold lies.
  package let thresholdInterval: Interval
  /// Where the objective's metric at this threshold lies.
  package let valueInterval: Interval
  /// By how much a metric at a threshold that was picked on the same cases looks better than it is.
  package let optimism: Double?
  /// What to know before it is trusted.
  package let warnings: [ThresholdWarning]

  /// Thresholds that limits with a confidence choose among.
  private static let candidateLimit = 200

  /// Thresholds of the interval that a flat metric is told by.
  private static let flatPositions = 10

  /// Searches all cases, then each resample of their clusters.
  ///
  /// `minutes` is how long each cluster was looked at, for all clusters, those without a case too; it
  /// is asked for by metrics a minute only. Throws where no threshold will do.
  package init(
    _ cases: [ScoredCase], search: ThresholdSearch, minutes: [Int: Double]? = nil,
    bootstrap: ClusterBootstrap = ClusterBootstrap(), tolerance: Double = 0.005
  ) throws(CalibrationError) {
    for (index, one) in cases.enumerated() { try one.check(at: index) }
    let ranking = ScoreRanking(cases, clusters: minutes.map { Array($0.keys) } ?? [])
    let lengths = try Self.lengths(minutes, of: ranking.clusters)
    let whole = ScoreCurve(ranking, copies: nil, minutes: lengths?.reduce(0, +))
    if let reason = search.missing(whole) { throw reason }
    let plainSearch = search.unguarded
    let isGuarded = search.objective.isGuarded
    let plain = try? plainSearch.optimum(of: whole)
    let candidates = search.candidates(of: whole)
    let positions = candidates.spread(Self.candidateLimit)
    let thresholds = positions.map { candidates.threshold(at: $0, of: whole) }
    let clusters = ranking.clusters.count
    let draws = bootstrap.results(ofDraws: 0..<bootstrap.resamples) { draw in
      let copies = bootstrap.copies(ofDraw: draw, clusters: clusters)
      let drawn = lengths.map { zip($0, copies).reduce(0) { $0 + $1.0 * Double($1.1) } }
      let curve = ScoreCurve(ranking, copies: copies, minutes: drawn)
      return Draw(
        curve, best: try? plainSearch.choice(of: curve).get(), fixed: plain?.threshold,
        thresholds: thresholds, search: search)
    }
    let weight = ranking.weight
    let values = whole.candidateValues(search, at: thresholds)
    let found: [Found]
    if isGuarded {
      let bounds = search.bounds(
        values: values, draws: draws.map(\.values), clusters: weight)
      let objective = search.objective
      let choice = objective.choice(among: positions.indices, bounds: bounds) { values[$0][$1] }
      guard case .best(let index, let value) = choice else {
        var reason = ""
        if case .infeasible(let why) = choice { reason = why }
        throw .unmet(objective, reason)
      }
      optimum = candidates.optimum(at: positions[index], value: value, of: whole)
      found = draws.map { draw in
        let choice = objective.choice(among: positions.indices, bounds: bounds) {
          draw.values[$0][$1]
        }
        guard case .best(let chosen, let best) = choice else {
          return Found(fixed: draw.values[0][index])
        }
        return Found(threshold: thresholds[chosen], best: best, fixed: draw.values[0][index])
      }
    } else {
      optimum = try search.optimum(of: whole)
      found = draws.map {
        Found(threshold: $0.best?.threshold, best: $0.best?.value, fixed: $0.fixed)
      }
    }
    self.plain = isGuarded ? plain : nil
    let gains = found.compactMap { one -> Double? in
      guard let threshold = one.threshold, let best = one.best else { return nil }
      return search.goal.value(of: whole.counts(at: threshold)).map { best - $0 }
    }
    let optimism = gains.mean
    self.optimism = optimism
    let interval = bootstrap.interval(of: found.map(\.threshold), sizes: weight)
    thresholdInterval = interval
    let chosen = ChosenInterval(bootstrap: bootstrap, clusters: weight)
    valueInterval = chosen.interval(
      of: optimum.value, draws: found.map(\.fixed), optimism: optimism ?? 0,
      kind: search.goal.kind)
    var warnings: [ThresholdWarning] = []
    if let change = Self.flatness(
      at: optimum, thresholds: thresholds, values: values[0],
      draws: draws.map { $0.values[0] }, fixed: found.map(\.fixed), within: interval,
      optimism: optimism ?? 0, by: chosen), change <= tolerance
    {
      warnings.append(.flat(change: change, tolerance: tolerance))
    }
    if optimum.isLowest { warnings.append(.lowestTried) }
    if optimum.isHighest { warnings.append(.highestTried) }
    let evaluated = draws.compactMap(\.best).map {
      plainSearch.limitsHold(on: whole.counts(at: $0.threshold))
    }
    if search.objective.limits.isEmpty || evaluated.isEmpty
      || weight.effective < LimitBounds.minClustersOfShare
    {
      brokenShare = nil
      if !isGuarded, evaluated.contains(false) { warnings.append(.limitAtEdge(share: nil)) }
    } else {
      let share = Double(evaluated.count { !$0 }) / Double(evaluated.count)
      brokenShare = share
      if !isGuarded, share > 0 { warnings.append(.limitAtEdge(share: share)) }
    }
    self.warnings = warnings
  }

  /// The result of one resample.
  private struct Draw: Sendable {
    /// Its best threshold, without the confidence of limits.
    let best: OptimumThreshold?
    /// The metric at the best threshold of all cases.
    let fixed: Double?
    /// The objective's metrics at each candidate.
    let values: [[Double?]]

    init(
      _ curve: ScoreCurve, best: OptimumThreshold?, fixed threshold: Double?,
      thresholds: [Double], search: ThresholdSearch
    ) {
      self.best = best
      fixed = threshold.flatMap { search.goal.value(of: curve.counts(at: $0)) }
      values = curve.candidateValues(search, at: thresholds)
    }
  }

  /// What was chosen in a resample, its metric there, and that of the recommended threshold.
  private struct Found {
    var threshold, best: Double?
    var fixed: Double?
  }

  private static func lengths(
    _ minutes: [Int: Double]?, of clusters: [Int]
  ) throws(CalibrationError) -> [Double]? {
    guard let minutes else { return nil }
    var lengths: [Double] = []
    for cluster in clusters {
      guard let length = minutes[cluster] else { throw .missingMinutes(cluster: cluster) }
      guard (0..<Double.infinity).contains(length) else {
        throw .malformedMinutes(length, cluster: cluster)
      }
      lengths.append(length)
    }
    return lengths
  }

  /// How much the metric changes over the interval, where no threshold there can be told from the chosen one.
  ///
  /// Differences at ten thresholds are resampled in pairs, all at one level (Bonferroni); nil if one differs from 0,
  /// and nil without an interval.
  private static func flatness(
    at optimum: OptimumThreshold, thresholds: [Double], values: [Double?], draws: [[Double?]],
    fixed: [Double?], within interval: Interval, optimism: Double, by chosen: ChosenInterval
  ) -> Double? {
    guard let low = interval.low, let high = interval.high else { return nil }
    let all = thresholds.indices.filter { (low...high).contains(thresholds[$0]) }
    let count = min(all.count, flatPositions)
    let inside = (0..<count).map { all[$0 * (all.count - 1) / max(1, count - 1)] }
    let known = inside.compactMap { values[$0] }
    guard !inside.isEmpty, known.count == inside.count else { return nil }
    let each = chosen.shared(among: inside.count)
    let isAlike = inside.allSatisfy { position in
      each.holdsZero(
        for: values[position].map { $0 - optimum.value },
        draws: zip(draws, fixed).map { draw, base in
          guard let one = draw[position], let base else { return nil }
          return one - base
        }, optimism: -optimism)
    }
    guard isAlike else { return nil }
    return max(optimum.value, known.max() ?? 0) - min(optimum.value, known.min() ?? 0)
  }
}

extension ScoreCurve {
  /// The metrics of an objective and its limits at some descending thresholds: a row per metric.
  fileprivate func candidateValues(_ search: ThresholdSearch, at thresholds: [Double])
    -> [[Double?]]
  {
    var accepted = 0
    return search.values(
      of: thresholds.map { threshold in
        while accepted < self.thresholds.count, self.thresholds[accepted] >= threshold {
          accepted += 1
        }
        return counts(ofFirst: accepted)
      })
  }
}

extension ScoreRanking {
  /// The clusters by their cases, or by their positives where those are fewer clusters' worth.
  fileprivate var weight: ClusterSizes {
    var (all, positives) = (
      [Double](repeating: 0, count: clusters.count), [Double](repeating: 0, count: clusters.count)
    )
    for entry in entries {
      all[entry.cluster] += entry.positive + entry.negative
      positives[entry.cluster] += entry.positive
    }
    let weights = [all, positives].map { ClusterSizes($0).effective }.filter { $0 > 0 }
    return ClusterSizes(count: clusters.count, effective: weights.min() ?? 0)
  }
}
