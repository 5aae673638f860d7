extension Sweep {
  /// The first rule that the types cannot express and this sweep breaks, or nil.
  func problem(at place: String) -> Record.Problem? {
    if let problem = tableProblem(at: place) { return problem }
    func outside(_ place: String, _ setting: Int?) -> Record.Problem? {
      guard let setting, !settings.indices.contains(setting) else { return nil }
      return Record.Problem(
        place: place, expected: "a place among \(settings.count) settings", found: "\(setting)")
    }
    if let problem = outside("\(place).defaultSetting", defaultSetting) { return problem }
    if let problem = cost.problem(at: "\(place).cost") { return problem }
    for (index, advice) in advice.enumerated() {
      let place = "\(place).advice[\(index)]"
      if let problem = outside("\(place).setting", advice.setting)
        ?? outside("\(place).limits.plainSetting", advice.limits?.plainSetting)
        ?? advice.problem(at: place)
      {
        return problem
      }
      for (fold, setting) in advice.foldSettings.enumerated() {
        if let problem = outside("\(place).foldSettings[\(fold)]", setting) { return problem }
      }
    }
    for (index, front) in fronts.enumerated() {
      for (step, setting) in front.settings.enumerated() {
        if let problem = outside("\(place).fronts[\(index)].settings[\(step)]", setting) {
          return problem
        }
      }
    }
    let used =
      advice.enumerated().flatMap { index, advice in
        ([advice.figure] + advice.figures.map(\.name)).map { ("advice[\(index)]", $0) }
      }
      + fronts.enumerated().flatMap { index, front in
        front.figures.map { ("fronts[\(index)]", $0) }
      } + effects.enumerated().map { ("effects[\($0.offset)]", $0.element.figure) }
    for (part, name) in used where columns[name] == nil {
      return Record.Problem(
        place: "\(place).\(part)", expected: "the name of a figure", found: "\"\(name)\"")
    }
    return nil
  }

  private func tableProblem(at place: String) -> Record.Problem? {
    for (index, knob) in knobs.enumerated()
    where !zip(knob.values, knob.values.dropFirst()).allSatisfy({ $0 < $1 }) {
      return Record.Problem(
        place: "\(place).knobs[\(index)].values", expected: "ascending values",
        found: "values that do not ascend")
    }
    for (index, setting) in settings.enumerated() where setting.count != knobs.count {
      return Record.Problem(
        place: "\(place).settings[\(index)]", expected: "a value for each of \(knobs.count) knobs",
        found: "\(setting.count)")
    }
    let names = Set(figures.map(\.name))
    guard names.count == figures.count, names == Set(columns.keys) else {
      return Record.Problem(
        place: "\(place).columns", expected: "one for each figure",
        found: columns.keys.sorted().joined(separator: ", "))
    }
    for (name, column) in columns.sorted(by: { $0.key < $1.key })
    where column.count != settings.count {
      return Record.Problem(
        place: "\(place).columns.\(name)",
        expected: "a value for each of \(settings.count) settings", found: "\(column.count)")
    }
    return nil
  }
}

extension Sweep.Cost {
  fileprivate func problem(at place: String) -> Record.Problem? {
    let counts = [
      ("settings", settings), ("frames", frames), ("detectorInferences", detectorInferences),
      ("landmarkInferences", landmarkInferences), ("blendshapeInferences", blendshapeInferences),
      ("inferencesOfFullRuns", inferencesOfFullRuns), ("distinctTracks", distinctTracks ?? 0),
    ]
    for (name, count) in counts where count < 0 {
      return Record.Problem(place: "\(place).\(name)", expected: "0 or more", found: "\(count)")
    }
    return nil
  }
}

extension Sweep.Advice {
  fileprivate func problem(at place: String) -> Record.Problem? {
    if (setting == nil) != (reason != nil) {
      return Record.Problem(
        place: "\(place).reason",
        expected: setting == nil ? "why no setting will do" : "null beside a setting",
        found: reason.map { "\"\($0)\"" } ?? "null")
    }
    for (name, count) in [("infeasibleDraws", infeasibleDraws), ("brokenDraws", brokenDraws)]
    where !(0...max(0, draws)).contains(count) {
      return Record.Problem(
        place: "\(place).\(name)", expected: "0 to \(draws), the draws", found: "\(count)")
    }
    for (index, knob) in knobs.enumerated() {
      let problem = knob.interval.problem(at: "\(place).knobs[\(index)].interval")
      if let problem { return problem }
    }
    for (index, figure) in figures.enumerated() {
      let problem = figure.interval.problem(at: "\(place).figures[\(index)].interval")
      if let problem { return problem }
      if figure.heldOut.count != foldSettings.count {
        return Record.Problem(
          place: "\(place).figures[\(index)].heldOut",
          expected: "a value for each of \(foldSettings.count) folds",
          found: "\(figure.heldOut.count)")
      }
    }
    return gain?.interval.problem(at: "\(place).gain.interval")
  }
}
