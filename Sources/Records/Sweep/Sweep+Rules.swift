internal import Platform

extension Sweep {
  /// The first rule that the types cannot express and this sweep breaks, or nil.
  func problem(at position: String) -> Record.Problem? {
    if let problem = tableProblem(at: position) { return problem }
    func outside(_ position: String, _ setting: Int?) -> Record.Problem? {
      guard let setting, !settings.indices.contains(setting) else { return nil }
      return Record.Problem(
        position: position, expected: "a position among \(settings.count) settings",
        found: "\(setting)")
    }
    if let problem = outside("\(position).defaultSetting", defaultSetting) { return problem }
    if let problem = cost.problem(at: "\(position).cost") { return problem }
    for (index, advice) in advice.enumerated() {
      let position = "\(position).advice[\(index)]"
      if let problem = outside("\(position).setting", advice.setting)
        ?? outside("\(position).limits.plainSetting", advice.limits?.plainSetting)
        ?? advice.problem(at: position)
      {
        return problem
      }
      for (fold, setting) in advice.foldSettings.enumerated() {
        if let problem = outside("\(position).foldSettings[\(fold)]", setting) { return problem }
      }
    }
    for (index, front) in fronts.enumerated() {
      for (step, setting) in front.settings.enumerated() {
        if let problem = outside("\(position).fronts[\(index)].settings[\(step)]", setting) {
          return problem
        }
      }
    }
    let used =
      advice.enumerated().flatMap { index, advice in
        ([advice.metric] + advice.metrics.map(\.name)).map { ("advice[\(index)]", $0) }
      }
      + fronts.enumerated().flatMap { index, front in
        front.metrics.map { ("fronts[\(index)]", $0) }
      } + effects.enumerated().map { ("effects[\($0.offset)]", $0.element.metric) }
    for (part, name) in used where columns[name] == nil {
      return Record.Problem(
        position: "\(position).\(part)", expected: "the name of a metric", found: "\"\(name)\"")
    }
    return nil
  }

  private func tableProblem(at position: String) -> Record.Problem? {
    for (index, parameter) in parameters.enumerated()
    where !zip(parameter.values, parameter.values.dropFirst()).allSatisfy({ $0 < $1 }) {
      return Record.Problem(
        position: "\(position).parameters[\(index)].values", expected: "ascending values",
        found: "values that do not ascend")
    }
    for (index, setting) in settings.enumerated() where setting.count != parameters.count {
      return Record.Problem(
        position: "\(position).settings[\(index)]",
        expected: "a value for each of \(parameters.count) parameters",
        found: "\(setting.count)")
    }
    let names = Set(metrics.map(\.name))
    guard names.count == metrics.count, names == Set(columns.keys) else {
      return Record.Problem(
        position: "\(position).columns", expected: "one for each metric",
        found: columns.keys.sorted().joined(separator: ", "))
    }
    for (name, column) in columns.sorted(by: { $0.key < $1.key })
    where column.count != settings.count {
      return Record.Problem(
        position: "\(position).columns.\(name)",
        expected: "a value for each of \(settings.count) settings", found: "\(column.count)")
    }
    if let wrongFrames, let problem = wrongFrames.problem(of: settings.count, at: position) {
      return problem
    }
    for (name, column) in (intervals ?? [:]).sorted(by: { $0.key < $1.key })
    where column.count != settings.count || !column.allSatisfy({ $0 == nil || $0?.count == 2 }) {
      return Record.Problem(
        position: "\(position).intervals.\(name)",
        expected: "two ends, or null, for each of \(settings.count) settings",
        found: "\(column.count) entries")
    }
    return nil
  }
}

extension Sweep.Cost {
  fileprivate func problem(at position: String) -> Record.Problem? {
    let counts = [
      ("settings", settings), ("frames", frames), ("detectorInferences", detectorInferences),
      ("landmarkInferences", landmarkInferences), ("blendshapeInferences", blendshapeInferences),
      ("inferencesOfFullRuns", inferencesOfFullRuns), ("distinctTracks", distinctTracks ?? 0),
    ]
    for (name, count) in counts where count < 0 {
      return Record.Problem(
        position: "\(position).\(name)", expected: "0 or more", found: "\(count)")
    }
    return nil
  }
}

extension Sweep.Advice {
  fileprivate func problem(at position: String) -> Record.Problem? {
    if (setting == nil) != (reason != nil) {
      return Record.Problem(
        position: "\(position).reason",
        expected: setting == nil ? "the reason for no setting" : "null with a setting",
        found: reason.map { "\"\($0)\"" } ?? "null")
    }
    for (name, count) in [("infeasibleDraws", infeasibleDraws), ("brokenDraws", brokenDraws)]
    where !(0...max(0, draws)).contains(count) {
      return Record.Problem(
        position: "\(position).\(name)", expected: "0 to \(draws), the draws", found: "\(count)")
    }
    for (index, parameter) in parameters.enumerated() {
      let problem = parameter.interval.problem(at: "\(position).parameters[\(index)].interval")
      if let problem { return problem }
    }
    for (index, metric) in metrics.enumerated() {
      let problem = metric.interval.problem(at: "\(position).metrics[\(index)].interval")
      if let problem { return problem }
      if metric.heldOut.count != foldSettings.count {
        return Record.Problem(
          position: "\(position).metrics[\(index)].heldOut",
          expected: "a value for each of \(foldSettings.count) folds",
          found: "\(metric.heldOut.count)")
      }
    }
    return gain?.interval.problem(at: "\(position).gain.interval")
  }
}

extension Sweep.WrongFrames {
  fileprivate func problem(of settingCount: Int, at position: String) -> Record.Problem? {
    guard settings.count == settingCount else {
      return Record.Problem(
        position: "\(position).wrongFrames.settings",
        expected: "an entry for each of \(settingCount) settings", found: "\(settings.count)")
    }
    if let counts,
      counts.count != settingCount || zip(counts, settings).contains(where: { $0 < $1.count })
    {
      return Record.Problem(
        position: "\(position).wrongFrames.counts",
        expected: "for each of \(settingCount) settings at least the number of its frames",
        found: "\(counts)")
    }
    for (index, entries) in settings.enumerated() {
      for entry in entries where !frames.indices.contains(entry.position) || entry.errors < 1 {
        return Record.Problem(
          position: "\(position).wrongFrames.settings[\(index)]",
          expected: "errors of frames 0 to \(frames.count - 1)",
          found: "\(entry.errors) of frame \(entry.position)")
      }
    }
    return nil
  }
}
