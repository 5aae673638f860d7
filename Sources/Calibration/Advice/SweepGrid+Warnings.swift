internal import Metrics
internal import Platform
internal import Records

extension SweepGrid {
  /// What to know before advice is trusted, a sentence each without a full stop.
  func warnings(
    of advice: Sweep.Advice, at setting: Int, for objective: Objective
  ) -> [String] {
    var warnings: [String] = []
    if !draws.isEmpty, clusters.count < ClusterBootstrap.minClusters {
      warnings.append("there are no intervals: \(ClusterBootstrap.tooFew(clusters.count))")
    }
    if !draws.isEmpty, clusters.isOfOneClip {
      warnings.append(
        "this is told of one clip only: sweep ten clips or more before you set it for others")
    }
    warnings += shareWarning(
      advice.infeasibleDraws, of: draws.count, "of the resamples no setting meets the objective")
    if !objective.isGuarded, !objective.limits.isEmpty, !draws.isEmpty,
      advice.limits?.brokenShare != 0
    {
      warnings.append(
        "this setting was chosen because it just meets the limit here: "
          + LimitBounds.breaking("setting", advice.limits?.brokenShare)
          + "; write 'with 95 %' after the limit to keep it elsewhere too")
    }
    let lost = advice.foldSettings.count { $0 == nil }
    if lost > 0 {
      warnings.append("in \(lost) of \(folds.count) folds no setting meets the objective")
    }
    for limit in objective.limits {
      let metric = advice.metrics.first { $0.name == limit.metric }
      if let mean = metric?.heldOutMean, !limit.relation.holds(mean, limit.bound) {
        warnings.append("held out, \(limit) does not hold: the mean is \(mean.shortText())")
      }
    }
    for parameter in parameters.indices {
      let name = parameters[parameter].name
      let own = all.settings[setting][parameter]
      let tried = all.settings.map { $0[parameter] }
      guard let lowest = tried.min(), let highest = tried.max(), lowest < highest else { continue }
      let line = line(along: parameter, through: setting)
      let onLine = line.map { all.columns[objective.metric]?[$0] ?? nil }
      if let first = line.first, let last = line.last, first != last,
        onLine.allSatisfy({ $0 == onLine[0] })
      {
        let range = [first, last].map { all.settings[$0][parameter].shortText() }
        warnings.append(
          "\(name) does not change \(objective.metric): any value from \(range[0]) to \(range[1])"
            + " does as well")
        continue
      }
      if own == lowest, own > parameters[parameter].lowest ?? -.infinity {
        warnings.append("\(name) \(own.shortText()) is the lowest that was tried")
      }
      if own == highest, own < parameters[parameter].highest ?? .infinity {
        warnings.append("\(name) \(own.shortText()) is the highest that was tried")
      }
      if let flat = flatness(of: objective, along: parameter, through: setting, advice: advice) {
        warnings.append("\(name) is flat: \(flat)")
      }
    }
    return warnings
  }

  /// What a choice costs in faces found, by paired resamples; nil where the objective weighs that or it is not shown.
  ///
  /// Errors of found faces fall where a setting leaves out the hard ones.
  func lostFaces(
    at setting: Int, insteadOf base: Int?, for objective: Objective
  ) -> String? {
    guard !objective.weighsFoundFaces, let base, base != setting,
      let name = Sweep.foundFaces.first(where: { all.columns[$0]?[base] ?? nil != nil }),
      let before = all.columns[name]?[base], let after = all.columns[name]?[setting]
    else { return nil }
    let interval = bootstrap.interval(
      of: draws.map { draw in
        guard let column = draw.columns[name], let one = column[base], let other = column[setting]
        else { return nil }
        return one - other
      }, sizes: clusters)
    guard let low = interval.low, let high = interval.high, low > 0 else { return nil }
    func number(_ value: Double) -> String { value.text(significantDigits: 3) }
    return
      "\(name) falls from \(number(before)) at the default to \(number(after)) here, by "
      + "\(number(before - after)) (\((interval.level * 100).shortText()) %: \(number(low)) to "
      + "\(number(high))\(interval.scopeText)), which this objective does not limit: "
      + objective.hint(toKeep: name, at: before)
  }

  private func shareWarning(_ count: Int, of whole: Int, _ what: String) -> [String] {
    guard count > 0, whole > 0 else { return [] }
    return ["in \((Double(count) / Double(whole) * 100).shortText()) % \(what)"]
  }

  /// What makes a parameter flat about a setting, over its interval or to its neighbours; nil where it is not.
  ///
  /// It is flat where the metric changes by no more than half the width of its own interval, and no value's
  /// difference from the setting, resampled in pairs, is told from 0.
  private func flatness(
    of objective: Objective, along parameter: Int, through setting: Int, advice: Sweep.Advice
  ) -> String? {
    let line = line(along: parameter, through: setting)
    let values = line.map { all.settings[$0][parameter] }
    guard line.count > 1, let position = line.firstIndex(of: setting),
      let column = all.columns[objective.metric], let own = column[setting]
    else { return nil }
    let interval = advice.parameters[parameter].interval
    let first = min(
      max(0, position - 1), values.firstIndex { $0 >= interval.low ?? .infinity } ?? position)
    let last = max(
      min(line.count - 1, position + 1),
      values.lastIndex { $0 <= interval.high ?? -.infinity } ?? position)
    let others = line[first...last].filter { $0 != setting }
    let known = others.compactMap { column[$0] }
    guard known.count == others.count, !others.isEmpty else { return nil }
    let range = "from \(values[first].shortText()) to \(values[last].shortText())"
    let change = max(own, known.max() ?? own) - min(own, known.min() ?? own)
    if change == 0 { return "\(objective.metric) is the same \(range)" }
    guard let goal = advice.metrics.first(where: { $0.name == objective.metric })?.interval,
      let low = goal.low, let high = goal.high, change <= (high - low) / 2
    else { return nil }
    let chosen = ChosenInterval(bootstrap: bootstrap, clusters: clusters)
      .shared(among: others.count)
    let isAlike = others.allSatisfy { other in
      chosen.holdsZero(
        for: column[other].map { $0 - own },
        draws: draws.map { draw in
          guard let column = draw.columns[objective.metric], let one = column[other],
            let base = column[setting]
          else { return nil }
          return one - base
        })
    }
    guard isAlike else { return nil }
    return
      "\(objective.metric) changes by \(change.shortText()) \(range), and no value there can be "
      + "told from \(values[position].shortText()) (paired differences)"
  }
}
