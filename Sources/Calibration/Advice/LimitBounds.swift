internal import Foundation
internal import Metrics
internal import Platform
internal import Records
internal import Statistics

/// The bounds of a limited metric at many settings, all of which hold at once with the limit's confidence.
///
/// A bound lies as many bootstrap standard errors inside the value as hold, in that share of the resamples,
/// the largest deviation of any setting whose own bound breaks the limit (a step-down max-t bootstrap; Romano and
/// Wolf 2005), and never fewer than Student's t has it. So it stays right for the setting that is picked
/// because it just keeps the limit. A setting at which the metric is undefined in more than 5 % of the
/// resamples has no bound.
struct LimitBounds: Sendable {
  private let limit: Objective.Limit
  private let scale: MetricScale
  /// How far inside the limit the stretched value must lie at each setting; infinite where nothing is known.
  private let margins: [Double]
  /// The exact bound of values that are 0 or 1 in every resample.
  private let edge: Double
  /// Why there are no bounds at all; nil where there are.
  let reason: String?

  /// Minimum number of clusters' worth for the share of resamples whose own choice breaks a limit on all data.
  ///
  /// In simulations of 10 clusters the share is 0.4 where 0.6 of the choices break the limit in the population.
  static let minClustersOfShare = 20.0

  /// Pseudo-cases a cluster, for `MetricScale.weight`.
  private static let casesPerCluster = 2.0

  /// `values` are those of the settings on all data, each of `draws` those in a resample; nil for undefined.
  init(
    _ limit: Objective.Limit, confidence: Double, kind: MetricScale.Kind, values: [Double?],
    draws: [[Double?]], clusters: ClusterSizes
  ) {
    let scale = MetricScale(
      kind: kind, weight: Self.casesPerCluster * max(1, clusters.effective))
    self.limit = limit
    self.scale = scale
    edge = pow(1 - confidence, 1 / max(1, clusters.effective))
    guard clusters.count >= ClusterBootstrap.minClusters, !draws.isEmpty,
      let minReach = clusters.reach(confidence)
    else {
      reason =
        clusters.count < ClusterBootstrap.minClusters
        ? ClusterBootstrap.tooFew(clusters.count)
        : draws.isEmpty ? "no resamples were drawn" : "one cluster outweighs the others"
      margins = Array(repeating: .infinity, count: values.count)
      return
    }
    reason = nil
    let columns = values.indices.compactMap { setting in
      values[setting].flatMap {
        Column(setting, of: $0, in: draws, limit: limit, scale: scale)
      }
    }
    let reach = Self.reach(columns, draws: draws.count, confidence: confidence, minReach: minReach)
    var margins = [Double](repeating: .infinity, count: values.count)
    for column in columns { margins[column.setting] = reach * column.error }
    self.margins = margins
  }

  /// A setting with its resampled values.
  private struct Column {
    let setting: Int
    /// The bootstrap standard error on the stretched scale.
    let error: Double
    /// How many standard errors the value lies inside the limit.
    let score: Double
    /// By how many standard errors each resample lies nearer to the limit than the value, or beyond it.
    let deviations: [Double]

    /// Nil where too many resamples leave the metric undefined.
    init?(
      _ setting: Int, of value: Double, in draws: [[Double?]], limit: Objective.Limit,
      scale: MetricScale
    ) {
      let known = draws.compactMap { $0[setting] }
      let undefined = draws.count - known.count
      guard Double(undefined) <= ClusterBootstrap.maxUndefinedShare * Double(draws.count) else {
        return nil
      }
      self.setting = setting
      let error = scale.standardError(known)
      self.error = error
      guard error > 0 else {
        (score, deviations) = (-.infinity, [])
        return
      }
      let side = limit.relation.side == .higher ? 1.0 : -1.0
      let own = scale.stretched(value)
      score = side * (own - scale.stretched(limit.bound)) / error
      deviations = draws.map { draw in
        draw[setting].map { side * (own - scale.stretched($0)) / error } ?? -1e9
      }
    }
  }

  /// How many standard errors a value must lie inside the limit.
  private static func reach(
    _ columns: [Column], draws: Int, confidence: Double, minReach: Double
  ) -> Double {
    // Settings that break the limit by far need no bound, because nothing is claimed about them.
    var open = columns.filter { $0.score > -4 }
    let normal = StudentT.normalDistance(beyond: 1 - confidence)
    var reach = minReach
    while !open.isEmpty {
      let largest = (0..<draws).map { draw in
        open.reduce(-1e9) { max($0, $1.deviations[draw]) }
      }
      let held = largest.sorted().quantileOfSorted(confidence)
      reach = max(minReach, held * minReach / normal)
      let left = open.filter { $0.score < reach }
      guard left.count < open.count else { break }
      open = left
    }
    return reach
  }

  /// The end of a value's interval that is nearer to the limit, or beyond it; nil where there is none.
  func bound(of value: Double, at setting: Int) -> Double? {
    guard margins[setting] < .infinity else { return nil }
    let isLow = limit.relation.side == .higher
    if margins[setting] == 0 {
      switch scale.kind {
      case .share where value >= 1: return isLow ? edge : 1
      case .share where value <= 0: return isLow ? 0 : 1 - edge
      case .amount where value == 0: return isLow ? 0 : nil
      default: return value
      }
    }
    let own = scale.stretched(value)
    return scale.value(ofStretched: isLow ? own - margins[setting] : own + margins[setting])
  }

  /// How often a setting or threshold that was chosen without a confidence breaks a limit.
  static func breaking(_ what: String, _ share: Double?) -> String {
    guard let share else {
      return
        "on other data about half of the \(what)s chosen this way break a limit, and with fewer than "
        + "\(minClustersOfShare.shortText()) clusters more"
    }
    return
      "in \((share * 100).shortText()) % of the resamples the \(what) chosen this way breaks a limit "
      + "on all data"
  }

  /// Whether the bound of a value keeps the limit.
  func keeps(_ value: Double, at setting: Int) -> Bool {
    bound(of: value, at: setting).map { limit.relation.holds($0, limit.bound) } ?? false
  }
}
