internal import Platform
import Records

extension ReportSection {
  /// How far each parameter moves each headline metric, and plainly where it moves none.
  package static let sweepEffects = ReportSection(
    id: "sweep-effects", title: "What each parameter moves", claims: { _ in false },
    blocks: { record in
      guard let sweep = record.sweep, !sweep.effects.isEmpty else { return [] }
      let groups = sweep.parameters.map { parameter in
        (parameter: parameter, effects: sweep.effects.filter { $0.parameter == parameter.name })
      }
      .filter { !$0.effects.isEmpty }
      var blocks: [Block] = []
      let idle = groups.filter { $0.effects.allSatisfy { $0.isThere == false } }
      if !idle.isEmpty {
        blocks.append(
          .notes(
            idle.map { group in
              let why = group.effects.lazy.compactMap(\.reason).first.map { ": \($0)" } ?? ""
              return "\(group.parameter.name) has no effect here\(why)."
            }))
      }
      blocks.append(.table(table(groups, in: sweep)))
      return blocks
    })
}

private func table(
  _ groups: [(parameter: Sweep.Parameter, effects: [Sweep.Effect])], in sweep: Sweep
) -> Table {
  let rows = groups.flatMap { group in
    group.effects.enumerated().map { index, effect -> [Table.Cell] in
      let metric = sweep.metric(effect.metric)
      let span = effect.low.flatMap { low in effect.high.map { $0 - low } }
      return [
        .text(index == 0 ? group.parameter.name : ""),
        .text(metric?.title ?? effect.metric, note: metric?.note),
        .text(metric?.text(effect.low) ?? "–"), .text(metric?.text(effect.high) ?? "–"),
        .text(metric?.text(span) ?? "–"), .text(metric?.text(effect.meanSpan) ?? "–"),
        .text(effect.intervalWidths.map { "\($0.text(significantDigits: 2)) ×" } ?? "–"),
        .text(words(for: effect), note: effect.isThere == true ? nil : effect.reason),
      ]
    }
  }
  return Table(
    title: "Minimum and maximum when one parameter varies",
    columns: [
      .words("Parameter"), .words("Metric"), .numbers("From"), .numbers("To"), .numbers("Span"),
      .numbers("Mean span"), .numbers("In intervals"), .words("Effect"),
    ],
    rows: rows,
    remark:
      "From, to and span: this parameter varies, the others are fixed. Mean span: over all values"
      + " of the others. In intervals: the span over the width of the metric's interval; under 1 it could"
      + " be chance.",
    isWide: true)
}

private func words(for effect: Sweep.Effect) -> String {
  switch effect.isThere {
  case false?: "no effect here"
  case nil: "unknown"
  case true?: (effect.intervalWidths ?? 1) < 1 ? "small" : "yes"
  }
}
