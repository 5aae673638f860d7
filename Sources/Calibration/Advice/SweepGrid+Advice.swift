internal import Metrics
package import Records
internal import Statistics

extension SweepGrid {
  /// The setting that an objective prefers, how sure that is, and what to know before it is trusted.
  ///
  /// The choice is made again on each resample: a parameter's interval holds the middle of those values (its ends are
  /// rounded outward to values that were chosen), and a metric's interval is that of the setting as it is, less by
  /// how much the choice of a resample looks better there than on all data. A limit with a confidence is
  /// met where its bound keeps it (`LimitBounds`). Each fold is evaluated at the setting that was chosen without
  /// it. Of equally good settings the one with more of the default's values is chosen. `defaultSetting` is an index of
  /// the settings. Throws for metrics that the objective names and the tables don't have.
  package func advice(
    for objective: Objective, default defaultSetting: Int? = nil
  ) throws(CalibrationError) -> Sweep.Advice {
    if let defaultSetting, !all.settings.indices.contains(defaultSetting) {
      throw .malformedGrid(
        "the advice", expected: "a default in 0..<\(all.settings.count)",
        found: "\(defaultSetting)")
    }
    var objective = objective
    objective.target = metrics.first { $0.name == objective.metric }?.target
    let ranking = ranking(preferring: defaultSetting)
    let bounds = try bounds(of: objective)
    let choice = try all.best(for: objective, among: ranking, bounds: bounds)
    let evidence = try evidence(for: objective, choice: choice, bounds: bounds, among: ranking)
    guard case .best(let setting, let value) = choice else {
      var reason = ""
      if case .infeasible(let why) = choice { reason = why }
      var advice = Sweep.Advice(
        objective: objective.description, metric: objective.metric, reason: reason)
      advice.limits = evidence
      return advice
    }
    // Resamples that lack a metric of the objective choose nothing.
    let choosing = undrawn(among: objective.names) == nil ? draws : []
    var drawn: [Int?] = []
    for draw in choosing {
      drawn.append(try self.setting(of: draw, for: objective, among: ranking, bounds: bounds))
    }
    var foldSettings: [Int?] = []
    for fold in folds {
      foldSettings.append(
        try self.setting(of: fold.rest, for: objective, among: ranking, bounds: bounds))
    }

    var advice = Sweep.Advice(
      objective: objective.description, metric: objective.metric, reason: nil)
    advice.setting = setting
    advice.limits = evidence
    advice.draws = choosing.count
    advice.infeasibleDraws = drawn.count { $0 == nil }
    advice.brokenDraws = choosing.count { !objective.limitsHold(in: $0, at: setting) }
    advice.foldSettings = foldSettings
    advice.parameters = parameters.indices.map { parameter in
      let own = all.settings[setting][parameter]
      let chosen = drawn.map { $0.map { all.settings[$0][parameter] } }
      return Sweep.ParameterChoice(
        name: parameters[parameter].name, value: own, interval: interval(ofChoices: chosen),
        share: choosing.isEmpty || clusters.count < ClusterBootstrap.minClusters
          ? nil : Double(chosen.count { $0 == own }) / Double(choosing.count))
    }
    advice.metrics = metrics.map { metric in
      let column = all.columns[metric.name] ?? []
      let heldOut = zip(folds, foldSettings).map { fold, setting in
        setting.flatMap { fold.heldOut.columns[metric.name]?[$0] ?? nil }
      }
      return Sweep.MetricChoice(
        name: metric.name, value: column[setting],
        interval: interval(
          of: metric.name, at: setting,
          optimism: optimism(of: drawn, over: setting, in: metric.name)),
        heldOut: heldOut, heldOutMean: heldOut.compactMap { $0 }.mean)
    }
    let goal = advice.metrics.first { $0.name == objective.metric }
    advice.optimism = goal?.heldOutMean.map { objective.gain(of: value, over: $0) }
    let lost = lostFaces(at: setting, insteadOf: defaultSetting, for: objective)
    if let defaultSetting {
      var gain = gain(of: setting, over: defaultSetting, for: objective)
      if lost != nil, gain.conclusion == .better { gain.conclusion = .losesFaces }
      advice.gain = gain
    }
    advice.warnings =
      [lost].compactMap(\.self) + warnings(of: advice, at: setting, for: objective)
    return advice
  }

  /// The first of some metrics that is undefined in all resamples; nil where none is, and without resamples.
  package func undrawn(among names: [String]) -> String? {
    guard !draws.isEmpty else { return nil }
    return names.first { name in
      draws.allSatisfy { draw in draw.columns[name]?.allSatisfy { $0 == nil } ?? true }
    }
  }

  func setting(
    of table: SettingTable, for objective: Objective, among ranking: [Int], bounds: [LimitBounds?]
  ) throws(CalibrationError) -> Int? {
    let choice = try table.best(for: objective, among: ranking, bounds: bounds)
    if case .best(let index, _) = choice { return index }
    return nil
  }

  /// Where the middle of the values lies that the resamples chose, its ends rounded outward to one of them.
  private func interval(ofChoices chosen: [Double?]) -> Interval {
    let none = chosen.count { $0 == nil }
    if !chosen.isEmpty, clusters.count >= ClusterBootstrap.minClusters,
      Double(none) > ClusterBootstrap.maxUndefinedShare * Double(chosen.count)
    {
      return .none("no setting meets the objective in \(none) of \(chosen.count) resamples")
    }
    let whole = bootstrap.interval(of: chosen, sizes: clusters)
    let sorted = chosen.compactMap { $0 }.sorted()
    guard let low = whole.low, let high = whole.high, let method = whole.method,
      let below = sorted.last(where: { $0 <= low }), let above = sorted.first(where: { $0 >= high })
    else { return whole }
    return Interval(low: below, high: above, level: whole.level, method: method)
  }

  /// The interval that an evaluation at a setting gives a metric, and as far beyond it as the choice is optimistic.
  private func interval(of metric: String, at setting: Int, optimism: Double) -> Interval {
    guard let value = all.columns[metric]?[setting] ?? nil else {
      return .none("the metric is undefined on all data")
    }
    let range = range(of: metric)
    let own = bootstrap.interval(
      of: draws.map { $0.columns[metric]?[setting] ?? nil }, about: value, in: range,
      sizes: clusters)
    guard let low = own.low, let high = own.high, let method = own.method, optimism != 0 else {
      return own
    }
    let floor = range.ends?.lowerBound ?? (range == .any ? -Double.infinity : 0)
    return Interval(
      low: max(floor, min(low, low - optimism)),
      high: min(range.ends?.upperBound ?? .infinity, max(high, high - optimism)),
      level: own.level,
      method: own.isOfThisClip
        ? "widened by the optimism of the choice, \(method)"
        : method + ", beyond it the optimism of the choice")
  }

  /// The values that a metric can take: those of the catalogue, else what its unit and values tell.
  private func range(of metric: String) -> MetricRange {
    let values = (all.columns[metric] ?? []).compactMap { $0 }
    let known = MetricCatalog.definition(of: MetricCatalog.aliases[metric] ?? metric)?.range
    if let known, values.allSatisfy(known.holds) { return known }
    switch kind(of: metric) {
    case .share: return .unit
    case .amount: return .atLeastZero
    case .plain: return .any
    }
  }

  /// By how much a metric at the choice of a resample is higher there than on all data, on average.
  ///
  /// What the same resamples differ by at `setting`, which nothing was chosen for, is no optimism.
  private func optimism(of drawn: [Int?], over setting: Int, in metric: String) -> Double {
    guard let whole = all.columns[metric], let fixed = whole[setting] else { return 0 }
    let excesses = zip(draws, drawn).compactMap { draw, chosen -> Double? in
      guard let chosen, let column = draw.columns[metric], let own = column[chosen],
        let real = whole[chosen], let here = column[setting]
      else { return nil }
      return (own - real) - (here - fixed)
    }
    return excesses.mean ?? 0
  }
}

extension Objective {
  func limitsHold(in table: SettingTable, at setting: Int) -> Bool {
    brokenLimits { table.columns[$0]?[setting] ?? nil }.isEmpty
  }
}
