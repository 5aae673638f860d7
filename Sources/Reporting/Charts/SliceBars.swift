internal import Platform
package import Records

/// A metric of the slices of one dimension, each with its interval, against the value over all.
package struct SliceBars: Sendable, Hashable {
  /// A slice with its value.
  package struct Bar: Sendable, Hashable {
    /// The part, such as `30-60`.
    package var label: String
    /// The metric there.
    package var measurement: Measurement
    /// Whether it is the worst.
    package var isWorst: Bool
  }

  /// What the parts differ in, such as `yaw`.
  package var dimension: String
  /// The metric over all frames.
  package var whole: Measurement
  /// The parts in the order of the record.
  package var bars: [Bar]
}

extension SliceBars: DrawnChart {
  func svg(id: String, in figure: Figure) -> String {
    let values = bars.flatMap(\.measurement.extent)
    let rowHeight = 30.0
    let longest = bars.map(\.label.count).max() ?? 0
    let all = values + [whole.value].compactMap { $0 } + figure.limits.on(.horizontal)
    var canvas = ChartCanvas(
      horizontal: Axis(over: all, isZoomed: true), vertical: Axis(over: [0, 1]),
      height: Double(max(1, bars.count)) * rowHeight,
      left: min(200, 20 + Double(longest) * (ChartCanvas.characterWidth + 0.8)), rowsAbove: 1)
    canvas.drawHorizontalAxis(
      xLabel: whole.title + (whole.unit == "1" ? "" : " (\(whole.unit))"))
    for limit in figure.limits where limit.axis == .horizontal {
      let x = canvas.x(limit.value)
      canvas.line(from: (x, canvas.top), to: (x, canvas.bottom), class: limit.style)
    }
    if let value = whole.value {
      let x = canvas.x(value)
      canvas.line(from: (x, canvas.top - 2), to: (x, canvas.bottom), class: "markline")
      let isLeft = x > (canvas.left + canvas.right) / 2
      canvas.label(
        "all \(whole.valueText)", at: (x, canvas.top - 6), gap: -4, isLeft: isLeft)
    }
    for (row, bar) in bars.enumerated() {
      draw(bar, at: canvas.top + (Double(row) + 0.5) * rowHeight, on: &canvas)
    }
    let spoken = bars.map { "\($0.label) \($0.measurement.valueText)" }
    return canvas.svg(
      id: id, title: figure.title,
      description: "\(whole.title) by \(dimension), \(whole.valueText) over all: "
        + (spoken + figure.limits.map(\.label)).joined(separator: "; "))
  }

  private func draw(_ bar: Bar, at height: Double, on canvas: inout ChartCanvas) {
    canvas.text(bar.label, at: (canvas.left - 8, height + 4), anchor: "end", class: "tick")
    canvas.line(from: (canvas.left, height), to: (canvas.right, height), class: "grid")
    let metric = bar.measurement
    if let ends = metric.interval.ends {
      canvas.whisker(from: canvas.x(ends.low), to: canvas.x(ends.high), at: height, cap: 5)
    }
    guard let value = metric.value else { return }
    canvas.dot(
      at: (canvas.x(value), height), class: bar.isWorst ? "dot s1" : "dot s0",
      tip: "\(dimension) \(bar.label): \(metric.valueText) (\(metric.evidence))",
      selection: metric.slice.map(SelectionAxis.selection(ofSlice:)))
    let isLeft = canvas.x(value) > (canvas.left + canvas.right) / 2
    canvas.label(
      metric.valueText + (bar.isWorst ? ", worst" : ""), at: (canvas.x(value), height - 6), gap: 8,
      isLeft: isLeft)
  }

  /// The slices with their values, intervals and n.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    [
      ChartTable(
        columns: [.words(dimension), .numbers(whole.title), .numbers("Interval"), .numbers("n")],
        rows: bars.map {
          [
            .text(
              $0.label, selection: $0.measurement.slice.map(SelectionAxis.selection(ofSlice:))),
            .text($0.measurement.valueText), .text($0.measurement.intervalText ?? "–"),
            .text($0.measurement.n.groupedText),
          ]
        })
    ]
  }
}

extension Measurement {
  /// What an axis has to hold: the value and the ends of its interval, those that there are.
  var extent: [Double] { [value, interval.low, interval.high].compactMap(\.self) }
}
