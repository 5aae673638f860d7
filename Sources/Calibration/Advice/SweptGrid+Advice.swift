internal import Metrics
package import Records

extension SweptGrid {
  /// The setting that an objective prefers, how sure that is, and what to know before it is trusted.
  ///
  /// The choice is made again on each resample: a knob's interval holds the middle of those values (its ends are
  /// rounded outward to values that were chosen), and the optimised figure's interval is that of the setting as it
  /// is, less by how much the best of a resample exceeds it on average. Each fold is judged at the setting
  /// that was chosen without it. `defaultSetting` is a place among the settings. Throws for figures that the
  /// objective names and the tables don't have.
  package func advice(
    for objective: Objective, default defaultSetting: Int? = nil
  ) throws(CalibrationError) -> Sweep.Advice {
    if let defaultSetting, !all.settings.indices.contains(defaultSetting) {
      throw .malformedGrid(
        "the advice", expected: "a default in 0..<\(all.settings.count)",
        found: "\(defaultSetting)")
    }
    let choice = try all.best(for: objective, among: ranking)
    guard case .best(let setting, let value) = choice else {
      var reason = ""
      if case .infeasible(let why) = choice { reason = why }
      return Sweep.Advice(
        objective: objective.description, figure: objective.figure, reason: reason)
    }
    var drawn: [Int?] = []
    for draw in draws { drawn.append(try self.setting(of: draw, for: objective)) }
    var foldSettings: [Int?] = []
    for fold in folds { foldSettings.append(try self.setting(of: fold.rest, for: objective)) }

    var advice = Sweep.Advice(
      objective: objective.description, figure: objective.figure, reason: nil)
    advice.setting = setting
    advice.draws = draws.count
    advice.infeasibleDraws = drawn.count { $0 == nil }
    advice.brokenDraws = draws.count { !objective.limitsHold(in: $0, at: setting) }
    advice.foldSettings = foldSettings
    advice.knobs = knobs.indices.map { knob in
      let own = all.settings[setting][knob]
      let chosen = drawn.map { $0.map { all.settings[$0][knob] } }
      return Sweep.KnobChoice(
        name: knobs[knob].name, value: own, interval: interval(ofChoices: chosen),
        share: draws.isEmpty
          ? nil : Double(chosen.count { $0 == own }) / Double(draws.count))
    }
    let excess = excess(of: drawn, over: setting, for: objective)
    advice.figures = figures.map { figure in
      let shift = figure.name == objective.figure ? objective.sign * excess : 0
      let heldOut = zip(folds, foldSettings).map { fold, setting in
        setting.flatMap { fold.heldOut.columns[figure.name]?[$0] ?? nil }
      }
      return Sweep.FigureChoice(
        name: figure.name, value: all.columns[figure.name]?[setting] ?? nil,
        interval: bootstrap.interval(
          of: draws.map { ($0.columns[figure.name]?[setting] ?? nil).map { $0 - shift } },
          clusters: clusters),
        heldOut: heldOut, heldOutMean: mean(heldOut))
    }
    let goal = advice.figures.first { $0.name == objective.figure }
    advice.optimism = goal?.heldOutMean.map { objective.sign * (value - $0) }
    if let defaultSetting {
      advice.gain = gain(of: setting, over: defaultSetting, for: objective)
    }
    advice.warnings = warnings(of: advice, at: setting, for: objective)
    return advice
  }

  private func setting(
    of table: SettingTable, for objective: Objective
  ) throws(CalibrationError) -> Int? {
    if case .best(let index, _) = try table.best(for: objective, among: ranking) { return index }
    return nil
  }

  /// Where the middle of the values lies that the resamples chose, its ends rounded outward to one of them.
  private func interval(ofChoices chosen: [Double?]) -> Interval {
    let none = chosen.count { $0 == nil }
    if !chosen.isEmpty, clusters >= ClusterBootstrap.leastClusters,
      Double(none) > ClusterBootstrap.mostUndefined * Double(chosen.count)
    {
      return .none("no setting will do in \(none) of \(chosen.count) resamples")
    }
    let whole = bootstrap.interval(of: chosen, clusters: clusters)
    let sorted = chosen.compactMap { $0 }.sorted()
    guard let low = whole.low, let high = whole.high, let method = whole.method,
      let below = sorted.last(where: { $0 <= low }), let above = sorted.first(where: { $0 >= high })
    else { return whole }
    return Interval(low: below, high: above, level: whole.level, method: method)
  }

  /// By how much the best setting of a resample exceeds a setting on average, 0 or more.
  private func excess(
    of drawn: [Int?], over setting: Int, for objective: Objective
  ) -> Double {
    let excesses = zip(draws, drawn).map { draw, best -> Double? in
      guard let column = draw.columns[objective.figure], let best, let top = column[best],
        let fixed = column[setting]
      else { return nil }
      return objective.sign * (top - fixed)
    }
    return max(0, mean(excesses) ?? 0)
  }

  private func mean(_ values: [Double?]) -> Double? {
    let known = values.compactMap { $0 }
    return known.isEmpty ? nil : known.reduce(0, +) / Double(known.count)
  }
}

extension Objective {
  /// 1 where more is better, else −1.
  var sign: Double { better == .higher ? 1 : -1 }

  /// Whether all limits hold at a setting.
  func limitsHold(in table: SettingTable, at setting: Int) -> Bool {
    limits.allSatisfy { limit in
      (table.columns[limit.figure]?[setting] ?? nil).map {
        limit.relation.holds($0, limit.bound)
      } ?? false
    }
  }
}
