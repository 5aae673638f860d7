internal import Platform
package import Records

/// A metric over the severities of several degradations, side by side over one axis of values.
package struct SeverityChart: Sendable, Hashable {
  /// The metric in one severity.
  package struct Step: Sendable, Hashable {
    /// 0 for images that are not degraded.
    package var severity: Int
    /// The metric there.
    package var measurement: Measurement
    /// Whether a limit is broken there.
    package var isBroken = false
  }

  /// A degradation with its severities.
  package struct Group: Sendable, Hashable {
    /// The degradation, such as `motion-blur`.
    package var degradation: String
    /// Its severities, ascending.
    package var steps: [Step]
  }

  /// The metric's heading, with its unit.
  package var label: String
  /// The degradations, left to right.
  package var groups: [Group]
}

extension SeverityChart: DrawnChart {
  /// Columns of a degradation, with one between two of them.
  private static let columns = 7.0

  func svg(id: String, in figure: Figure) -> String {
    let values = groups.flatMap(\.steps).flatMap(\.measurement.extent)
    var canvas = ChartCanvas(
      horizontal: Axis(over: [0, Double(max(1, groups.count)) * Self.columns], isTight: true),
      vertical: Axis(over: values + figure.limits.on(.vertical)), height: 200)
    canvas.drawGrid()
    canvas.line(
      from: (canvas.left, canvas.bottom), to: (canvas.right, canvas.bottom), class: "axis")
    canvas.drawVerticalName(label)
    for (index, group) in groups.enumerated() { draw(group, at: index, on: &canvas) }
    for limit in figure.limits where limit.axis == .vertical { canvas.draw(limit) }
    let spoken = groups.map { group in
      "\(group.degradation) "
        + group.steps.map { "\($0.severity): \($0.measurement.valueText)" }.joined(separator: ", ")
    }
    return canvas.svg(
      id: id, title: figure.title,
      description: "\(label) over severities. "
        + (spoken + figure.limits.map(\.label)).joined(separator: "; "), below: 56)
  }

  private func draw(_ group: Group, at index: Int, on canvas: inout ChartCanvas) {
    let start = Double(index) * Self.columns
    if index > 0 {
      let x = canvas.x(start)
      canvas.line(from: (x, canvas.top), to: (x, canvas.bottom + 4), class: "grid")
    }
    // Long names of narrow groups stand in two rows.
    let row = groups.count > 5 && index % 2 == 1 ? 46.0 : 32
    canvas.text(
      group.degradation, at: (canvas.x(start + Self.columns / 2), canvas.bottom + row),
      anchor: "middle", class: "tick")
    var positions: [(x: Double, y: Double)] = []
    for step in group.steps {
      let x = canvas.x(start + 1 + Double(step.severity))
      if step.severity == 0 || step.severity == 5 {
        canvas.text(
          "\(step.severity)", at: (x, canvas.bottom + 15), anchor: "middle", class: "tick")
      }
      guard let value = step.measurement.value, value.isFinite else { continue }
      positions.append((x, canvas.y(value)))
    }
    canvas.path(positions, class: "line s0")
    for step in group.steps {
      guard let value = step.measurement.value, value.isFinite else { continue }
      let x = canvas.x(start + 1 + Double(step.severity))
      if let low = step.measurement.interval.low, let high = step.measurement.interval.high {
        canvas.line(from: (x, canvas.y(low)), to: (x, canvas.y(high)), class: "whisker")
      }
      canvas.bar(
        x: x - 2.5, y: canvas.y(value) - 2.5, width: 5, height: 5,
        class: step.isBroken ? "bar s1" : "bar s0",
        tip: "\(group.degradation) \(step.severity): \(step.measurement.valueText)"
          + (step.measurement.intervalText.map { " (\($0))" } ?? ""))
    }
  }

  /// The values with their intervals and n.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    [
      ChartTable(
        columns: [
          .words("Degradation"), .numbers("Severity"), .numbers(label), .numbers("Interval"),
          .numbers("n"),
        ],
        texts: groups.flatMap { group in
          group.steps.map { step in
            [
              group.degradation, "\(step.severity)", step.measurement.valueText,
              step.measurement.intervalText ?? "–", step.measurement.n.groupedText,
            ]
          }
        })
    ]
  }
}
