internal import Metrics
internal import Records

extension SweptGrid {
  /// The bounds of the limits that have a confidence, in the order of the limits; nil for the others.
  func bounds(of objective: Objective) throws(CalibrationError) -> [LimitBounds?] {
    var bounds: [LimitBounds?] = []
    for limit in objective.limits {
      let column = try all.column(limit.figure)
      bounds.append(
        limit.confidence.map { confidence in
          LimitBounds(
            limit, confidence: confidence, kind: kind(of: limit.figure), values: column,
            draws: draws.map { $0.columns[limit.figure] ?? [] }, clusters: weight)
        })
    }
    return bounds
  }

  /// What the data says of the limits beside the choice; nil without limits.
  func evidence(
    for objective: Objective, choice: Objective.Choice, bounds: [LimitBounds?], among ranking: [Int]
  ) throws(CalibrationError) -> Sweep.LimitEvidence? {
    guard !objective.limits.isEmpty else { return nil }
    let plain = objective.unguarded
    var evidence = Sweep.LimitEvidence()
    if case .best(let setting, let value) = try all.best(for: plain, among: ranking) {
      evidence.plainSetting = setting
      evidence.plainValue = value
    }
    var (broken, known) = (0, 0)
    for draw in draws {
      guard let setting = try setting(of: draw, for: plain, among: ranking, bounds: []) else {
        continue
      }
      known += 1
      if !plain.limitsHold(in: all, at: setting) { broken += 1 }
    }
    if known > 0, clusters >= ClusterBootstrap.leastClusters {
      evidence.brokenShare = Double(broken) / Double(known)
    }
    if case .best(let setting, _) = choice {
      evidence.bounds = zip(objective.limits, bounds).map { limit, bounds in
        bounds.flatMap { bounds in
          (all.columns[limit.figure]?[setting] ?? nil).flatMap {
            bounds.bound(of: $0, at: setting)
          }
        }
      }
    }
    return evidence
  }
}
