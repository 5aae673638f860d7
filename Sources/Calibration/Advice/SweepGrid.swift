package import Metrics
package import Records
internal import Statistics

/// The metrics of many settings, on all data, on resamples of it, and on folds of it.
///
/// The settings may be a grid, one parameter at a time, or any list. All tables have the same settings and the same
/// columns, one per metric; nil stands for a metric that is undefined.
package struct SweepGrid: Sendable {
  /// The data in two parts: what a setting is chosen on, and what it is evaluated on.
  package struct Fold: Sendable {
    /// The metrics of all data without the fold.
    package let rest: SettingTable
    /// The metrics of the fold.
    package let heldOut: SettingTable

    /// Joins the two parts.
    package init(rest: SettingTable, heldOut: SettingTable) {
      self.rest = rest
      self.heldOut = heldOut
    }
  }

  /// What was set, in the order of each setting's values.
  package let parameters: [Sweep.Parameter]
  /// What was measured.
  package let metrics: [Sweep.Metric]
  /// The metrics of all data.
  package let all: SettingTable
  /// The metrics of each resample, in the order of the draws; empty for no intervals.
  package let draws: [SettingTable]
  /// The metrics of each fold and of what is left without it; empty for no held-out metrics.
  package let folds: [Fold]
  /// The clusters of frames that the resamples drew from.
  package let clusters: ClusterSizes
  /// How the resamples were drawn.
  package let bootstrap: ClusterBootstrap
  /// The settings from the higher thresholds to the lower.
  let ranking: [Int]

  /// Joins tables.
  ///
  /// Throws for no settings, tables that differ in settings or columns, and numbers that are none.
  package init(
    parameters: [Sweep.Parameter], metrics: [Sweep.Metric], all: SettingTable,
    draws: [SettingTable] = [],
    folds: [Fold] = [], clusters: ClusterSizes,
    bootstrap: ClusterBootstrap = ClusterBootstrap()
  ) throws(CalibrationError) {
    self.parameters = parameters
    self.metrics = metrics
    self.all = all
    self.draws = draws
    self.folds = folds
    self.clusters = clusters
    self.bootstrap = bootstrap
    ranking = all.ranking
    try checkParameters()
    if !draws.isEmpty, draws.count != bootstrap.resamples {
      throw .malformedGrid(
        "the resamples", expected: "\(bootstrap.resamples) tables", found: "\(draws.count)")
    }
    try check(all, "all data")
    for (index, draw) in draws.enumerated() { try check(draw, "resample \(index + 1)") }
    for (index, fold) in folds.enumerated() {
      try check(fold.rest, "the data without fold \(index + 1)")
      try check(fold.heldOut, "fold \(index + 1)")
    }
  }

  private func checkParameters() throws(CalibrationError) {
    guard !parameters.isEmpty else {
      throw .malformedGrid("the parameters", expected: "one or more", found: "none")
    }
    for parameter in parameters {
      guard !parameter.values.isEmpty, parameter.values.allSatisfy(\.isFinite),
        zip(parameter.values, parameter.values.dropFirst()).allSatisfy({ $0 < $1 })
      else {
        throw .malformedGrid(
          "the values of \(parameter.name)", expected: "ascending finite numbers",
          found: parameter.values.isEmpty
            ? "none" : parameter.values.prefix(20).map { "\($0)" }.joined(separator: ", "))
      }
    }
    guard !all.settings.isEmpty else {
      throw .malformedGrid("the list of settings", expected: "one or more", found: "none")
    }
    var known: Set<[Double]> = []
    for (index, setting) in all.settings.enumerated() {
      let position = "setting \(index + 1)"
      guard setting.count == parameters.count else {
        throw .malformedGrid(
          position, expected: "\(parameters.count) values", found: "\(setting.count)")
      }
      if let value = setting.first(where: { !$0.isFinite }) {
        throw .malformedGrid(position, expected: "finite numbers", found: "\(value)")
      }
      guard known.insert(setting).inserted else {
        throw .malformedGrid(
          position, expected: "a setting that is not there already",
          found: setting.map { "\($0)" }.joined(separator: ", "))
      }
    }
  }

  private func check(_ table: SettingTable, _ part: String) throws(CalibrationError) {
    guard table.settings == all.settings else {
      throw .malformedGrid(part, expected: "the settings of all data", found: "others")
    }
    let names = metrics.map(\.name).sorted()
    guard table.columns.keys.sorted() == names else {
      throw .malformedGrid(
        part, expected: "the metrics \(names.joined(separator: ", "))",
        found: table.columns.keys.sorted().joined(separator: ", "))
    }
    for (name, column) in table.columns {
      for (index, value) in column.enumerated() where value.map({ !$0.isFinite }) ?? false {
        throw .malformedGrid(
          part, expected: "a finite \(name) or none at setting \(index + 1)",
          found: value.map { "\($0)" } ?? "none")
      }
    }
  }

  /// The settings that no other beats or equals in all of some metrics; throws for unknown metrics and for none.
  package func front(over names: [String]) throws(CalibrationError) -> Sweep.Front {
    var goals: [(metric: String, better: Direction)] = []
    var columns = all.columns
    for name in names {
      guard let metric = metrics.first(where: { $0.name == name }) else {
        throw .unknownMetric(name, among: metrics.map(\.name))
      }
      guard metric.better == .closest else {
        goals.append((name, metric.better))
        continue
      }
      goals.append((name, .lower))
      columns[name] = all.columns[name]?.map { $0.map(metric.distance) }
    }
    let table = try SettingTable(settings: all.settings, columns: columns)
    return Sweep.Front(metrics: names, settings: try table.paretoFront(over: goals))
  }

  /// The settings as equal ones are preferred: those with more values of the default first, then higher thresholds.
  func ranking(preferring standard: Int?) -> [Int] {
    guard let standard else { return ranking }
    let base = all.settings[standard]
    let moved = all.settings.map { setting in zip(setting, base).count { $0 != $1 } }
    return ranking.enumerated().sorted { first, second in
      (moved[first.element], first.offset) < (moved[second.element], second.offset)
    }.map(\.element)
  }

  /// What kind of number a metric is.
  func kind(of name: String) -> MetricScale.Kind {
    let unit = metrics.first { $0.name == name }?.unit ?? ""
    return MetricScale.kind(
      unit: unit, values: (all.columns[name] ?? []).lazy.compactMap { $0 })
  }

  /// The settings that differ from one at most in one parameter, by that parameter's value.
  func line(along parameter: Int, through setting: Int) -> [Int] {
    let values = all.settings[setting]
    return all.settings.indices.filter { other in
      all.settings[other].indices.allSatisfy {
        $0 == parameter || all.settings[other][$0] == values[$0]
      }
    }
    .sorted { all.settings[$0][parameter] < all.settings[$1][parameter] }
  }
}

extension SweepGrid {
  /// The bounds of the limits that have a confidence, in the order of the limits; nil for the others.
  func bounds(of objective: Objective) throws(CalibrationError) -> [LimitBounds?] {
    var bounds: [LimitBounds?] = []
    for limit in objective.limits {
      let column = try all.column(limit.metric)
      bounds.append(
        limit.confidence.map { confidence in
          LimitBounds(
            limit, confidence: confidence, kind: kind(of: limit.metric), values: column,
            draws: draws.map { $0.columns[limit.metric] ?? [] }, clusters: clusters)
        })
    }
    return bounds
  }

  /// The evidence for the limits of the choice; nil without limits.
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
    if known > 0, clusters.effective >= LimitBounds.minClustersOfShare {
      evidence.brokenShare = Double(broken) / Double(known)
    }
    if case .best(let setting, _) = choice {
      evidence.bounds = zip(objective.limits, bounds).map { limit, bounds in
        bounds.flatMap { bounds in
          (all.columns[limit.metric]?[setting] ?? nil).flatMap {
            bounds.bound(of: $0, at: setting)
          }
        }
      }
    }
    return evidence
  }
}

extension SweepGrid {
  /// By how much a setting is better than the default, and what follows.
  ///
  /// The interval is the setting's part of a band that holds the gains of all settings at once, so it stays right
  /// for the one that was picked because it looked best: the band is as many standard errors wide as hold the
  /// largest deviation of any setting in `level` of the resamples (max-t bootstrap; Romano and Wolf 2005), and wider
  /// for few clusters by as much as Student's t is than the normal distribution.
  func gain(of setting: Int, over base: Int, for objective: Objective) -> Sweep.Gain {
    guard setting != base else {
      return Sweep.Gain(
        value: 0, interval: .none("the recommended setting is the default"),
        conclusion: .isDefault)
    }
    let columns = ([all] + draws).map { $0.columns[objective.metric] ?? [] }
    let gains = Gains(columns: columns, base: base, objective: objective)
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
      of: draws.indices.map { gains.value(ofTable: $0 + 1, at: setting) }, sizes: clusters)
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
    let tail = (1 - bootstrap.level) / 2
    guard let few = clusters.reach(1 - tail) else {
      return .none("one cluster outweighs the others")
    }
    let reach =
      error * deviations.sorted().quantileOfSorted(bootstrap.level) * few
      / StudentT.normalDistance(beyond: tail)
    let band = Interval(
      low: gain - reach, high: gain + reach, level: bootstrap.level,
      method:
        "max-t bootstrap by Student's t over \(errors.count) settings, \(clusters.count) \(clusters.unit), "
        + "\(bootstrap.resamples) resamples, seed \(bootstrap.seed)")
    return clusters.isOfOneClip ? band.ofThisClip : band
  }
}

/// What each setting gains over the default, on all data and then on each resample.
private struct Gains {
  let columns: [[Double?]]
  let base: Int
  let objective: Objective

  func value(ofTable table: Int, at setting: Int) -> Double? {
    guard let one = columns[table][setting], let other = columns[table][base] else { return nil }
    return objective.gain(of: one, over: other)
  }

  /// The standard deviation over the resamples; nil where too many of them leave the gain undefined.
  func standardError(at setting: Int) -> Double? {
    ClusterBootstrap.standardError(
      of: columns.indices.dropFirst().map { value(ofTable: $0, at: setting) })
  }
}

extension SweepGrid {
  /// How far each parameter moves each of some metrics, parameter by parameter.
  ///
  /// `setting` is where the other parameters stay, the default or a recommended one. `reasons` states,
  /// by the name of a parameter, why it can't have an effect; it is used only where none is seen. Throws
  /// for unknown metrics.
  package func effects(
    on names: [String], at setting: Int, reasons: [String: String] = [:]
  ) throws(CalibrationError) -> [Sweep.Effect] {
    guard all.settings.indices.contains(setting) else {
      throw .malformedGrid(
        "the parameter report", expected: "a setting in 0..<\(all.settings.count)",
        found: "\(setting)")
    }
    var columns: [(name: String, values: [Double?], width: Double?)] = []
    for name in names {
      let column = try all.column(name)
      let interval = bootstrap.interval(
        of: draws.map { $0.columns[name]?[setting] ?? nil }, sizes: clusters)
      var width: Double?
      if let low = interval.low, let high = interval.high, high > low { width = high - low }
      columns.append((name, column, width))
    }
    return parameters.indices.flatMap { parameter in
      let lines = lines(along: parameter)
      let own = line(along: parameter, through: setting)
      return columns.map { column in
        effect(
          of: parameter, on: column, lines: lines, own: own,
          reason: reasons[parameters[parameter].name])
      }
    }
  }

  /// All lines of two or more settings that differ in one parameter alone.
  private func lines(along parameter: Int) -> [[Int]] {
    Dictionary(grouping: all.settings.indices) { index in
      var others = all.settings[index]
      others.remove(at: parameter)
      return others
    }
    .values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
  }

  private func effect(
    of parameter: Int, on column: (name: String, values: [Double?], width: Double?), lines: [[Int]],
    own: [Int], reason: String?
  ) -> Sweep.Effect {
    func span(_ line: [Int]) -> (low: Double, high: Double)? {
      let known = line.compactMap { column.values[$0] }
      guard known.count > 1, let low = known.min(), let high = known.max() else { return nil }
      return (low, high)
    }
    let here = span(own)
    let spans = lines.compactMap(span)
    var isThere: Bool?
    var why: String?
    if lines.isEmpty {
      why = "no two settings differ in this parameter alone"
    } else if lines.joined().allSatisfy({ column.values[$0] == nil }) {
      why = "the metric is undefined at every setting"
    } else {
      isThere = lines.contains { line in
        line.contains { column.values[$0] != column.values[line[0]] }
      }
      if isThere == false { why = reason }
    }
    return Sweep.Effect(
      parameter: parameters[parameter].name, metric: column.name, low: here?.low, high: here?.high,
      meanSpan: spans.isEmpty
        ? nil : spans.reduce(0) { $0 + $1.high - $1.low } / Double(spans.count),
      intervalWidths: here.flatMap { here in column.width.map { (here.high - here.low) / $0 } },
      isThere: isThere, reason: why)
  }
}
