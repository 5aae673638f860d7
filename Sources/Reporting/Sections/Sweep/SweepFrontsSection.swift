internal import Platform
import Records

extension ReportSection {
  /// The settings that no other beats in all of some metrics.
  package static let sweepFronts = ReportSection(
    id: "sweep-fronts", title: "Trade-offs", claims: { _ in false },
    blocks: { record in
      guard let sweep = record.sweep else { return [] }
      return sweep.fronts.flatMap { front in tradeOff(front, in: sweep) }
    })
}

private func tradeOff(_ front: Sweep.Front, in sweep: Sweep) -> [Block] {
  let metrics = front.metrics.compactMap(sweep.metric)
  guard metrics.count == front.metrics.count, !metrics.isEmpty else { return [] }
  let titles = metrics.map(\.title).joined(separator: " against ")
  var blocks: [Block] = []
  if let figure = front.figure(in: sweep) { blocks.append(.figure(figure)) }
  let parameters = sweep.movedParameters
  let shown = front.settings.prefix(Table.rowLimit)
  let left = front.settings.count - shown.count
  blocks.append(
    .table(
      title: "Pareto front: \(titles)",
      columns: parameters.map { .numbers(sweep.parameters[$0].label) }
        + metrics.map { .numbers($0.title) } + [.words("")],
      rows: shown.map { setting in
        parameters.map {
          .text(
            sweep.settings[setting][$0].shortText(significantDigits: 4),
            selection: SelectionAxis.selection(ofSetting: setting))
        }
          + metrics.map { .text($0.text(sweep.value($0.name, at: setting))) }
          + [.text(sweep.role(of: setting) ?? "")]
      },
      remark: left > 0 ? "and \(left.groupedText) more" : nil,
      isWide: parameters.count + metrics.count > 3))
  return blocks
}

extension Sweep.Front {
  /// All settings over the front's two metrics; nil for a front of more metrics.
  func figure(in sweep: Sweep) -> Figure? {
    let own = metrics.compactMap(sweep.metric)
    guard own.count == 2, metrics.count == 2 else { return nil }
    return Figure(
      title: own.map(\.title).joined(separator: " against "),
      caption: "Each dot is a setting. No setting is better in both metrics than one on the line.",
      chart: .tradeOff(plot(of: self, own[0], own[1], in: sweep)))
  }
}

private func plot(
  of front: Sweep.Front, _ first: Sweep.Metric, _ second: Sweep.Metric, in sweep: Sweep
) -> TradeOff {
  func points(_ settings: [Int]) -> [TradeOff.Point] {
    settings.compactMap { setting in
      guard let x = sweep.value(first.name, at: setting),
        let y = sweep.value(second.name, at: setting)
      else { return nil }
      return TradeOff.Point(setting: setting, x: x, y: y)
    }
  }
  let best = Set(front.settings)
  return TradeOff(
    xLabel: first.axisLabel, yLabel: second.axisLabel,
    beaten: points(sweep.settings.indices.filter { !best.contains($0) }),
    front: points(front.settings),
    marks: sweep.roles.flatMap { setting, label in
      points([setting]).map { Series.Mark(label: label, x: $0.x, y: $0.y) }
    })
}
