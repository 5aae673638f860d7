internal import Metrics
internal import Records

extension SweptGrid {
  /// By how much a setting is better than the default, and what follows.
  ///
  /// The interval is the setting's part of a band that holds the gains of all settings at once, so it stays right
  /// for the one that was picked because it looked best: the band is as many standard errors wide as hold the
  /// largest deviation of any setting in `level` of the resamples (max-t bootstrap; Romano and Wolf 2005).
  func gain(of setting: Int, over base: Int, for objective: Objective) -> Sweep.Gain {
    guard setting != base else {
      return Sweep.Gain(
        value: 0, interval: .none("the recommended setting is the default"),
        conclusion: .isDefault)
    }
    let columns = ([all] + draws).map { $0.columns[objective.figure] ?? [] }
    let gains = Gains(columns: columns, base: base, sign: objective.sign)
    let value = gains.value(ofTable: 0, at: setting)
    guard objective.limitsHold(in: all, at: base) else {
      return Sweep.Gain(
        value: value, interval: .none("the default setting breaks a limit"),
        conclusion: .defaultBreaksLimit)
    }
    let interval = band(gains, at: setting)
    guard let low = interval.low else {
      return Sweep.Gain(value: value, interval: interval, conclusion: .unknown)
    }
    return Sweep.Gain(
      value: value, interval: interval, conclusion: low > 0 ? .better : .noEvidence)
  }

  private func band(_ gains: Gains, at setting: Int) -> Interval {
    let own = bootstrap.interval(
      of: draws.indices.map { gains.value(ofTable: $0 + 1, at: setting) }, clusters: clusters)
    guard own.low != nil, let gain = gains.value(ofTable: 0, at: setting) else { return own }
    let errors = all.settings.indices.map { gains.standardError(at: $0) }
    guard let error = errors[setting] else { return own }
    let deviations = draws.indices.map { draw in
      errors.indices.reduce(0.0) { largest, index in
        guard let error = errors[index], error > 0,
          let gain = gains.value(ofTable: 0, at: index),
          let drawn = gains.value(ofTable: draw + 1, at: index)
        else { return largest }
        return max(largest, abs(drawn - gain) / error)
      }
    }
    let reach = error * ClusterBootstrap.quantile(bootstrap.level, ofSorted: deviations.sorted())
    return Interval(
      low: gain - reach, high: gain + reach, level: bootstrap.level,
      method: "max-t bootstrap over \(errors.count) settings, \(clusters) clusters, "
        + "\(bootstrap.resamples) resamples, seed \(bootstrap.seed)")
  }
}

/// What each setting gains over the default, on all data and then on each resample.
private struct Gains {
  let columns: [[Double?]]
  let base: Int
  let sign: Double

  func value(ofTable table: Int, at setting: Int) -> Double? {
    guard let one = columns[table][setting], let other = columns[table][base] else { return nil }
    return sign * (one - other)
  }

  /// The standard deviation over the resamples; nil where too many of them leave the gain undefined.
  func standardError(at setting: Int) -> Double? {
    let known = columns.indices.dropFirst().compactMap { value(ofTable: $0, at: setting) }
    let undefined = columns.count - 1 - known.count
    guard known.count > 1,
      Double(undefined) <= ClusterBootstrap.mostUndefined * Double(columns.count - 1)
    else { return nil }
    let mean = known.reduce(0, +) / Double(known.count)
    let squares = known.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return (squares / Double(known.count - 1)).squareRoot()
  }
}
