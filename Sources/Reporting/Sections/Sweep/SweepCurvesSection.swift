import Records

extension ReportSection {
  /// The metrics along each parameter and over two parameters, and the curves of scores.
  package static let sweepCurves: ReportSection = ReportSection(
    id: "sweep-curves", title: "Metrics along the parameters",
    claims: { $0.hasPrefix("sweep.") && !sweepAdvice.claims($0) },
    blocks: { record in
      var blocks: [Block] = []
      if let sweep = record.sweep, let center = sweep.center {
        for parameter in sweep.movedParameters {
          blocks += sweep.curves(along: parameter, through: center)
        }
        blocks += sweep.heatMaps.map { .figure($0) }
      }
      for series in record.series where sweepCurves.claims(series.name) {
        let choices = record.sweep?.choices(on: series) ?? []
        blocks.append(
          series.block(
            caption: (captions[series.name] ?? "")
              + (choices.isEmpty ? "" : " Dots are settings that were run."),
            axis: choices.isEmpty ? nil : .thresholds(choices)))
      }
      return blocks
    })
}

private let captions = [
  "sweep.pr": "One point a threshold; up and to the right is better.",
  "sweep.roc": "One point a threshold; up and to the left is better.",
  "sweep.det": "One point a threshold; down and to the left is better.",
]

extension Sweep {
  /// What shares an axis: a unit, and which way is better.
  fileprivate struct Scale: Hashable {
    var unit: String
    var better: Direction
    var target: Double?
  }

  /// How many lines a chart tells apart.
  private static let linesPerChart = 5

  fileprivate func curves(along parameter: Int, through center: Int) -> [Block] {
    let line = line(along: parameter, through: center)
    guard line.count > 1 else { return [] }
    let values = line.map { settings[$0][parameter] }
    let others = movedParameters.filter { $0 != parameter }
    let position = others.isEmpty ? "" : " At \(text(ofSetting: center, parameters: others))."
    var lines: [(metric: Metric, line: Series.Line)] = []
    var still: [String] = []
    for metric in metrics {
      let known = line.indices.filter { value(metric.name, at: line[$0]) != nil }
      let y = known.compactMap { value(metric.name, at: line[$0]) }
      guard y.count > 1 else { continue }
      guard y.contains(where: { $0 != y[0] }) else {
        still.append("\(metric.title) \(metric.text(y[0]))")
        continue
      }
      lines.append(
        (metric, Series.Line(label: metric.title, x: known.map { values[$0] }, y: y)))
    }
    var blocks: [Block] = [.heading("Along \(parameters[parameter].name)")]
    let scales = lines.inGroups {
      Scale(unit: $0.metric.unit, better: $0.metric.better, target: $0.metric.target)
    }
    for (scale, all) in scales {
      for start in stride(from: 0, to: all.count, by: Sweep.linesPerChart) {
        let part = Array(all[start..<min(start + Sweep.linesPerChart, all.count)])
        blocks.append(
          .figure(
            Reporting.Figure(
              title: part.map(\.metric.title).joined(separator: ", "), caption: position.trimmed,
              chart: .curve(
                Series.Curve(
                  xLabel: parameters[parameter].label, yLabel: scale.label,
                  lines: part.map(\.line), marks: marks(on: line, along: parameter, of: part))),
              limits: limits(of: part.map(\.metric.name)), axis: axis(along: parameter, over: line))
          ))
      }
    }
    if !still.isEmpty {
      blocks.append(.paragraph("Fixed: \(still.joined(separator: ", ")).\(position)"))
    }
    return blocks
  }

  /// The settings with a role on a line, each at the line that its objective is of, else the first.
  private func marks(
    on line: [Int], along parameter: Int, of part: [(metric: Metric, line: Series.Line)]
  ) -> [Series.Mark] {
    roles.filter { line.contains($0.setting) }.compactMap { setting, label in
      let goals = advice.filter { $0.setting == setting }.map(\.metric)
      let metric = part.first { goals.contains($0.metric.name) } ?? part.first
      return metric.flatMap { value($0.metric.name, at: setting) }.map {
        Series.Mark(label: label, x: settings[setting][parameter], y: $0)
      }
    }
  }

  /// The parameters whose thresholds the curves of scores are over, by the names of their lines.
  private static let thresholds = [
    "detection score": "min-face-detection-confidence", "presence": "min-face-presence-confidence",
  ]

  /// Where the settings lie on curves of scores, along the parameter that is their threshold.
  fileprivate func choices(on series: Series) -> [SelectionAxis.Choice] {
    guard case .curve(let curve) = series.content, let center else { return [] }
    return curve.lines.enumerated().flatMap { index, line -> [SelectionAxis.Choice] in
      guard let own = line.thresholds, own.count == line.x.count, own.count == line.y.count,
        let parameter = parameters.firstIndex(where: { $0.name == Self.thresholds[line.label] })
      else { return [] }
      return self.line(along: parameter, through: center).compactMap { setting in
        let value = settings[setting][parameter]
        return own.lastIndex { $0 >= value }.map {
          SelectionAxis.Choice(
            line: index, x: line.x[$0], y: line.y[$0],
            label: "\(parameters[parameter].name) \(parameters[parameter].text(value))",
            setting: setting)
        }
      }
    }
  }

  /// A map of each objective's metric where exactly two parameters moved and at least half of the pairs were tried.
  fileprivate var heatMaps: [Reporting.Figure] {
    let moved = movedParameters
    guard moved.count == 2 else { return [] }
    let x = Set(settings.map { $0[moved[0]] }).sorted()
    let y = Set(settings.map { $0[moved[1]] }).sorted()
    guard x.count > 1, y.count > 1, settings.count * 2 >= x.count * y.count else { return [] }
    let positions = settings.map { setting in
      (
        column: x.firstIndex(of: setting[moved[0]]) ?? 0,
        row: y.firstIndex(of: setting[moved[1]]) ?? 0
      )
    }
    let objectives = advice.map(\.metric).uniqued
    let names = objectives.isEmpty ? metrics.prefix(1).map(\.name) : objectives
    return names.compactMap(metric).map { metric in
      var values = y.map { _ in [Double?](repeating: nil, count: x.count) }
      var cells = y.map { _ in [Int?](repeating: nil, count: x.count) }
      for (setting, position) in positions.enumerated() {
        values[position.row][position.column] = value(metric.name, at: setting)
        cells[position.row][position.column] = setting
      }
      let map = HeatMap(
        xLabel: parameters[moved[0]].label, yLabel: parameters[moved[1]].label, metric: metric,
        x: x, y: y, values: values, settings: cells,
        marks: roles.compactMap { setting, label in
          let isOwn = advice.contains { $0.setting == setting && $0.metric == metric.name }
          guard isOwn || setting == defaultSetting else { return nil }
          return HeatMap.Mark(
            label: label, column: positions[setting].column, row: positions[setting].row,
            isBase: advice.allSatisfy { $0.setting != setting })
        })
      return Reporting.Figure(
        title: "\(metric.title) over both parameters",
        caption: map.isDirected
          ? "Brighter is better."
          : "Brighter is larger; \(metric.better.phrase(target: metric.target)).",
        chart: .heatMap(map))
    }
  }
}

extension Sweep.Scale {
  /// The unit and which way is better.
  fileprivate var label: String {
    "\(unit == "1" ? "ratio" : unit) (\(better.phrase(target: target)))"
  }
}

extension String {
  fileprivate var trimmed: String { String(drop { $0 == " " }) }
}
