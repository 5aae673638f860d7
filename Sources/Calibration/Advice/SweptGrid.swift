package import Metrics
package import Records

/// The figures of many settings, on all data, on resamples of it, and on folds of it.
///
/// The settings may be a grid, one knob at a time, or any list. All tables have the same settings and the same
/// columns, one a figure; nil stands for a figure that is undefined.
package struct SweptGrid: Sendable {
  /// The data in two parts: what a setting is chosen on, and what it is judged on.
  package struct Fold: Sendable {
    /// The figures of all data without the fold.
    package let rest: SettingTable
    /// The figures of the fold.
    package let heldOut: SettingTable

    /// Joins the two parts.
    package init(rest: SettingTable, heldOut: SettingTable) {
      self.rest = rest
      self.heldOut = heldOut
    }
  }

  /// What was set, in the order of each setting's values.
  package let knobs: [Sweep.Knob]
  /// What was measured.
  package let figures: [Sweep.Figure]
  /// The figures of all data.
  package let all: SettingTable
  /// The figures of each resample, in the order of the draws; empty for no intervals.
  package let draws: [SettingTable]
  /// The figures of each fold and of what is left without it; empty for no held-out figures.
  package let folds: [Fold]
  /// How many clusters of frames the resamples drew from.
  package let clusters: Int
  /// How many clusters of equal size they are worth.
  package let effectiveClusters: Double
  /// How the resamples were drawn.
  package let bootstrap: ClusterBootstrap
  /// The settings from the higher thresholds to the lower.
  let ranking: [Int]

  /// Joins tables; clusters count as of equal size unless it is said what they are worth.
  ///
  /// Throws for no settings, tables that differ in settings or columns, and numbers that are none.
  package init(
    knobs: [Sweep.Knob], figures: [Sweep.Figure], all: SettingTable, draws: [SettingTable] = [],
    folds: [Fold] = [], clusters: Int, effectiveClusters: Double? = nil,
    bootstrap: ClusterBootstrap = ClusterBootstrap()
  ) throws(CalibrationError) {
    self.knobs = knobs
    self.figures = figures
    self.all = all
    self.draws = draws
    self.folds = folds
    self.clusters = clusters
    self.effectiveClusters = effectiveClusters ?? Double(clusters)
    self.bootstrap = bootstrap
    ranking = all.ranking
    try checkKnobs()
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

  private func checkKnobs() throws(CalibrationError) {
    guard !knobs.isEmpty else {
      throw .malformedGrid("the knobs", expected: "one or more", found: "none")
    }
    for knob in knobs {
      guard !knob.values.isEmpty, knob.values.allSatisfy(\.isFinite),
        zip(knob.values, knob.values.dropFirst()).allSatisfy({ $0 < $1 })
      else {
        throw .malformedGrid(
          "the values of \(knob.name)", expected: "ascending finite numbers",
          found: knob.values.isEmpty
            ? "none" : knob.values.prefix(20).map { "\($0)" }.joined(separator: ", "))
      }
    }
    guard !all.settings.isEmpty else {
      throw .malformedGrid("the list of settings", expected: "one or more", found: "none")
    }
    var known: Set<[Double]> = []
    for (index, setting) in all.settings.enumerated() {
      let place = "setting \(index + 1)"
      guard setting.count == knobs.count else {
        throw .malformedGrid(place, expected: "\(knobs.count) values", found: "\(setting.count)")
      }
      if let value = setting.first(where: { !$0.isFinite }) {
        throw .malformedGrid(place, expected: "finite numbers", found: "\(value)")
      }
      guard known.insert(setting).inserted else {
        throw .malformedGrid(
          place, expected: "a setting that is not there already",
          found: setting.map { "\($0)" }.joined(separator: ", "))
      }
    }
  }

  private func check(_ table: SettingTable, _ part: String) throws(CalibrationError) {
    guard table.settings == all.settings else {
      throw .malformedGrid(part, expected: "the settings of all data", found: "others")
    }
    let names = figures.map(\.name).sorted()
    guard table.columns.keys.sorted() == names else {
      throw .malformedGrid(
        part, expected: "the figures \(names.joined(separator: ", "))",
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

  /// The settings that no other beats or equals in all of some figures; throws for unknown figures and for none.
  package func front(over names: [String]) throws(CalibrationError) -> Sweep.Front {
    var goals: [(figure: String, better: Direction)] = []
    for name in names {
      guard let figure = figures.first(where: { $0.name == name }) else {
        throw .unknownFigure(name, among: figures.map(\.name))
      }
      goals.append((name, figure.better))
    }
    return Sweep.Front(figures: names, settings: try all.paretoFront(over: goals))
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

  /// The clusters with what they are worth.
  var weight: ClusterWeight { ClusterWeight(count: clusters, effective: effectiveClusters) }

  /// What kind of number a figure is.
  func kind(of name: String) -> FigureScale.Kind {
    let unit = figures.first { $0.name == name }?.unit ?? ""
    return FigureScale.kind(
      unit: unit, values: (all.columns[name] ?? []).lazy.compactMap { $0 })
  }

  /// The settings that differ from one at most in one knob, by that knob's value.
  func line(along knob: Int, through setting: Int) -> [Int] {
    let values = all.settings[setting]
    return all.settings.indices.filter { other in
      all.settings[other].indices.allSatisfy {
        $0 == knob || all.settings[other][$0] == values[$0]
      }
    }
    .sorted { all.settings[$0][knob] < all.settings[$1][knob] }
  }
}
