import FaceCore
internal import Platform
import Records

extension ReportSection {
  /// Each headline metric over the severities of degraded images, and where they break the limits of gates.
  package static let degradations: ReportSection = ReportSection(
    id: "degradations", title: "Degradations", claims: { $0.hasPrefix("degradations.") },
    blocks: { record in
      let charts = record.headlines.compactMap { name in
        SeverityChart(of: name, in: record).map { (name: name, chart: $0) }
      }
      guard !charts.isEmpty else { return [] }
      var blocks = record.series(of: degradations).map { $0.block(caption: "") }
      if let table = breakingPoints(in: record) {
        blocks.insert(.table(table), at: 0)
      } else {
        blocks.insert(
          .paragraph(
            "With gates that have a limit ('--gates'), this section says at which severity each is "
              + "broken."), at: 0)
      }
      for (name, chart) in charts {
        let whole = record.measurement(name)
        blocks.append(
          .figure(
            title: "\(whole?.title ?? name) over severity",
            caption: "Bars are 95 % intervals, severity 0 the clean images.",
            chart: .severities(chart),
            limits: record.severityGates(on: name).compactMap {
              var limit = ChartLimit($0, unit: whole?.unit ?? "1", axis: .vertical)
              limit?.verdict = nil
              return limit
            }))
      }
      return blocks
    })

  /// For each limit and degradation the severity that breaks it; nil without limits.
  private static func breakingPoints(in record: Record) -> Table? {
    var rows: [[Table.Cell]] = []
    for name in record.headlines
      + record.gates.map(\.gate.metric).filter({ !record.headlines.contains($0) })
    {
      var limits: Set<Double> = []
      for result in record.severityGates(on: name) {
        guard let limit = result.gate.limit, limits.insert(limit).inserted,
          let chart = SeverityChart(of: name, in: record)
        else { continue }
        for group in chart.groups {
          let point = BreakingPoint(of: group.steps, beyond: limit, result.gate.direction)
          rows.append([
            .text(chart.label), .text(result.gate.condition()), .text(group.degradation),
            point.map { .text($0.text) }
              ?? .text("–", note: group.steps.first?.measurement.reason ?? "no value"),
            .text(
              point?.intervalText ?? "–", note: point?.intervalText == nil ? "no intervals" : nil),
          ])
        }
      }
    }
    guard !rows.isEmpty else { return nil }
    return Table(
      title: "Where limits break",
      columns: [
        .words("Metric"), .words("Limit"), .words("Degradation"), .words("Broken from"),
        .words("Interval"),
      ], rows: rows,
      remark:
        "The interval reaches from the first severity whose 95 % interval leaves the limit to "
        + "the first that lies entirely beyond it.", isWide: true)
  }
}

extension SeverityChart {
  /// A metric over the severities that a record is sliced by; nil where it has no value in any.
  init?(of name: String, in record: Record) {
    let limits = record.severityGates(on: name).compactMap { result in
      result.gate.limit.map { (limit: $0, direction: result.gate.direction) }
    }
    let steps = record.measurements.filter { $0.name == name }.compactMap {
      metric -> (degradation: String, step: Step)? in
      guard let slice = metric.dimensionSlice, let severity = Int(slice.value),
        let degradation = SeverityAttribute.degradation(of: slice.dimension)
      else { return nil }
      let step = Step(
        severity: severity, measurement: metric,
        isBroken: limits.contains { limit, direction in
          metric.value.map { direction == .atLeast ? $0 < limit : $0 > limit } ?? true
        })
      return (degradation, step)
    }
    let groups = steps.inGroups(by: \.degradation).map { degradation, own in
      Group(degradation: degradation, steps: own.map(\.step).sorted { $0.severity < $1.severity })
    }
    guard groups.contains(where: { $0.steps.contains { $0.measurement.value != nil } }) else {
      return nil
    }
    let whole = record.measurement(name)
    let unit = whole?.unit ?? "1"
    self.init(
      label: (whole?.title ?? name) + (unit == "1" ? "" : " (\(unit))"), groups: groups)
  }
}

extension Record {
  /// The gates with a limit on a metric, over all frames or in a severity.
  fileprivate func severityGates(on name: String) -> [GateResult] {
    gates.filter { result in
      guard result.gate.metric == name, result.gate.limit != nil else { return false }
      guard let slice = result.gate.slice else { return true }
      return DimensionSlice(slice).flatMap { SeverityAttribute.degradation(of: $0.dimension) }
        != nil
    }
  }
}
