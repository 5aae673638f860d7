internal import Metrics
internal import Records

extension SweptGrid {
  /// What to know before advice is trusted, a sentence each without a full stop.
  func warnings(
    of advice: Sweep.Advice, at setting: Int, for objective: Objective
  ) -> [String] {
    var warnings: [String] = []
    if !draws.isEmpty, clusters < ClusterBootstrap.leastClusters {
      warnings.append("there are no intervals: \(ClusterBootstrap.tooFew(clusters))")
    }
    warnings += shareWarning(
      advice.infeasibleDraws, of: draws.count, "of the resamples no setting meets the objective")
    warnings += shareWarning(
      advice.brokenDraws - advice.infeasibleDraws, of: draws.count,
      "of the resamples this setting breaks a limit that another meets")
    let lost = advice.foldSettings.count { $0 == nil }
    if lost > 0 {
      warnings.append("in \(lost) of \(folds.count) folds no setting meets the objective")
    }
    for limit in objective.limits {
      let figure = advice.figures.first { $0.name == limit.figure }
      if let mean = figure?.heldOutMean, !limit.relation.holds(mean, limit.bound) {
        warnings.append("held out, \(limit) does not hold: the mean is \(mean.shortText())")
      }
    }
    let goal = advice.figures.first { $0.name == objective.figure }
    let width = goal.flatMap { goal in
      goal.interval.low.flatMap { low in goal.interval.high.map { $0 - low } }
    }
    for knob in knobs.indices where knobs[knob].values.count > 1 {
      let name = knobs[knob].name
      let own = all.settings[setting][knob]
      let values = knobs[knob].values
      let line = line(along: knob, through: setting)
      let onLine = line.map { all.columns[objective.figure]?[$0] ?? nil }
      if let first = line.first, let last = line.last, first != last,
        onLine.allSatisfy({ $0 == onLine[0] })
      {
        let range = [first, last].map { all.settings[$0][knob].shortText() }
        warnings.append(
          "\(name) does not change \(objective.figure): any value from \(range[0]) to \(range[1])"
            + " does as well")
        continue
      }
      if own == values.first, own > knobs[knob].lowest ?? -.infinity {
        warnings.append("\(name) \(own.shortText()) is the lowest that was tried")
      }
      if own == values.last, own < knobs[knob].highest ?? .infinity {
        warnings.append("\(name) \(own.shortText()) is the highest that was tried")
      }
      guard
        let flat = change(
          of: objective.figure, along: knob, through: setting,
          within: advice.knobs[knob].interval)
      else { continue }
      let tolerance = (width ?? 0) / 2
      if flat.change <= tolerance {
        let range = "from \(flat.low.shortText()) to \(flat.high.shortText())"
        warnings.append(
          flat.change == 0
            ? "\(name) is flat: \(objective.figure) is the same \(range)"
            : "\(name) is flat: \(objective.figure) changes by \(flat.change.shortText()) \(range),"
              + " half its interval is \(tolerance.shortText())")
      }
    }
    return warnings
  }

  private func shareWarning(_ count: Int, of whole: Int, _ what: String) -> [String] {
    guard count > 0, whole > 0 else { return [] }
    return ["in \((Double(count) / Double(whole) * 100).shortText()) % \(what)"]
  }

  /// How much a figure changes over a knob's interval, or to its neighbours where those lie further.
  private func change(
    of figure: String, along knob: Int, through setting: Int, within interval: Interval
  ) -> (change: Double, low: Double, high: Double)? {
    let line = line(along: knob, through: setting)
    let values = line.map { all.settings[$0][knob] }
    guard line.count > 1, let place = line.firstIndex(of: setting) else { return nil }
    let first = min(
      max(0, place - 1),
      values.firstIndex { $0 >= interval.low ?? .infinity } ?? place)
    let last = max(
      min(line.count - 1, place + 1),
      values.lastIndex { $0 <= interval.high ?? -.infinity } ?? place)
    let known = line[first...last].compactMap { all.columns[figure]?[$0] ?? nil }
    guard known.count > 1, let least = known.min(), let most = known.max() else { return nil }
    return (most - least, values[first], values[last])
  }
}
