internal import Platform
package import Records

/// Metrics of two runs: both values with their intervals, and next to them the paired difference with its own.
///
/// Metrics have different units and sizes, so that each row has scales of its own. Either spans at least a tenth of the
/// larger value (`Axis.minSpan`), differences on both sides of 0, so that no small change looks like a cliff.
package struct Dumbbells: Sendable, Hashable {
  /// Names of the two runs, the base first.
  package var names: [String]
  /// The metrics in the order of the comparison; each has both values.
  package var rows: [Comparison.Difference]
}

extension Dumbbells: DrawnChart {
  private static let rowHeight = 60.0
  /// Where the values and where the differences are drawn, from left to right.
  private static let values = (left: 12.0, right: 300.0)
  private static let differences = (left: 334.0, right: 508.0)

  func svg(id: String, in figure: Figure) -> String {
    let height = Double(max(1, rows.count)) * Self.rowHeight
    var canvas = ChartCanvas(
      horizontal: Axis(over: [0, 1]), vertical: Axis(over: [0, 1]), height: height, left: 4,
      rowsAbove: 2)
    let (key, heading) = (canvas.top - 24, canvas.top - 8)
    for (index, name) in zip(names.indices, names) {
      let x = Self.values.left + Double(index) * 150
      draw(index, at: (x, key - 4), tip: nil, on: &canvas)
      canvas.text(
        "\(index == 0 ? "base" : "candidate") \(name.shortened(to: 14))", at: (x + 10, key),
        anchor: "start", class: "key")
    }
    canvas.text(
      "paired difference, line at 0", at: (Self.differences.right, key), anchor: "end", class: "key"
    )
    canvas.line(from: (4, heading), to: (516, heading), class: "axis")
    for (row, metric) in rows.enumerated() {
      draw(metric, at: canvas.top + Double(row) * Self.rowHeight, on: &canvas)
    }
    return canvas.svg(
      id: id, title: figure.title,
      description: "\(names.joined(separator: " and ")): "
        + rows.map { "\($0.title) \(Self.pair($0)), \(Self.change($0))" }.joined(separator: "; "),
      below: 2)
  }

  private func draw(
    _ metric: Comparison.Difference, at top: Double, on canvas: inout ChartCanvas
  ) {
    let (name, height) = (top + 13, top + 42)
    canvas.line(
      from: (4, top + Self.rowHeight - 4), to: (516, top + Self.rowHeight - 4), class: "grid")
    let label = metric.slice.map { "\(metric.title), \($0)" } ?? metric.title
    // Narrow pages draw text a little larger.
    let characters = Int(Self.differences.right / (1.2 * ChartCanvas.characterWidth))
    let limit = max(8, characters - Self.change(metric).count - 1)
    canvas.text(label.shortened(to: limit), at: (4, name), anchor: "start", class: "label")
    canvas.text(Self.pair(metric), at: (4, name + 15), anchor: "start", class: "tick")
    canvas.text(
      Self.change(metric), at: (Self.differences.right, name), anchor: "end",
      class: "label" + (Self.verdict(metric).map { " \($0)" } ?? ""))
    let sides = [(metric.base, metric.baseInterval), (metric.candidate, metric.candidateInterval)]
    let scale = RowScale(
      sides.flatMap { [$0.0, $0.1?.low, $0.1?.high] }.compactMap { $0 }, Self.values)
    let places = sides.compactMap { $0.0.map(scale.x) }
    if places.count == 2 {
      canvas.line(from: (places[0], height), to: (places[1], height + 8), class: "axis")
    }
    for (index, side) in sides.enumerated() {
      let y = height + Double(index) * 8
      whisker(side.1, at: y, on: scale, &canvas)
      guard let value = side.0 else { continue }
      draw(
        index, at: (scale.x(value), y),
        tip: "\(names[index]): \(Measurement.text(of: value, unit: metric.unit))"
          + (side.1?.text.map { " (\($0))" } ?? ""), on: &canvas)
    }
    guard let difference = metric.difference else { return }
    let reach =
      [difference, metric.interval.low, metric.interval.high].compactMap { $0?.magnitude }
      .max() ?? 0
    let span = Axis.minSpan * (Self.magnitudes(of: metric).max() ?? 0)
    let own = RowScale([-max(reach, span), max(reach, span)], Self.differences)
    canvas.line(from: (own.x(0), height - 5), to: (own.x(0), height + 13), class: "axis")
    whisker(metric.interval, at: height + 4, on: own, &canvas)
    canvas.dot(
      at: (own.x(difference), height + 4), class: "dot \(Self.verdict(metric) ?? "s5")",
      tip: "\(metric.title), candidate minus base: \(Self.change(metric))")
  }

  /// A ring for the base, a disc for the candidate.
  private func draw(
    _ index: Int, at position: (x: Double, y: Double), tip: String?, on canvas: inout ChartCanvas
  ) {
    canvas.dot(at: position, class: index == 0 ? "ring s0" : "dot s1", tip: tip ?? names[index])
  }

  private func whisker(
    _ interval: Interval?, at height: Double, on scale: RowScale, _ canvas: inout ChartCanvas
  ) {
    guard let ends = interval?.ends else { return }
    canvas.whisker(from: scale.x(ends.low), to: scale.x(ends.high), at: height, cap: 3)
  }

  private static func magnitudes(of metric: Comparison.Difference) -> [Double] {
    [metric.base, metric.candidate].compactMap { $0?.magnitude }.filter(\.isFinite)
  }

  private static func pair(_ metric: Comparison.Difference) -> String {
    [metric.base, metric.candidate].map { value in
      value.map { Measurement.text(of: $0, unit: metric.unit) } ?? "–"
    }.joined(separator: " → ")
  }

  private static func change(_ metric: Comparison.Difference) -> String {
    guard let value = metric.difference else { return "–" }
    return signedText(value)
      + (metric.interval.text.map { " (\($0))" } ?? "")
      + (metric.outcome.map { [.better, .worse].contains($0) ? " \($0.rawValue)" : "" } ?? "")
  }

  /// The class of what got better or worse, coloured as verdicts are; nil for what is not decided.
  private static func verdict(_ metric: Comparison.Difference) -> String? {
    switch metric.outcome {
    case .better: "pass"
    case .worse: "fail"
    default: nil
    }
  }

  /// Both runs with their intervals, and the difference with its own.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    let runs: [Table.Column] = names.flatMap {
      [.numbers($0), .numbers("Interval of \($0)")]
    }
    return [
      ChartTable(
        columns: [.words("Metric"), .words("Slice")] + runs
          + [.numbers("Difference"), .numbers("Interval")],
        texts: rows.map(Self.texts(of:)))
    ]
  }

  private static func texts(of row: Comparison.Difference) -> [String] {
    func cells(_ value: Double?, _ interval: Interval?) -> [String] {
      [value.map { Measurement.text(of: $0, unit: row.unit) } ?? "–", interval?.text ?? "–"]
    }
    return [row.title, row.slice ?? "all"] + cells(row.base, row.baseInterval)
      + cells(row.candidate, row.candidateInterval)
      + [row.difference.map { signedText($0) } ?? "–", row.interval.text ?? "–"]
  }
}

/// Places values between two positions, with a little room on either side.
private struct RowScale {
  private let low: Double, high: Double
  private let ends: (left: Double, right: Double)

  init(_ values: [Double], _ ends: (left: Double, right: Double)) {
    let known = values.filter(\.isFinite)
    let (low, high) = (known.min() ?? 0, known.max() ?? 0)
    let least = Axis.minSpan * max(low.magnitude, high.magnitude)
    let room = max(1e-9, (high - low) * 0.05, (least - (high - low)) / 2)
    (self.low, self.high) = (low - room, high + room)
    self.ends = ends
  }

  func x(_ value: Double) -> Double {
    let share = min(1, max(0, (value - low) / (high - low)))
    return ends.left + share * (ends.right - ends.left)
  }
}

extension Interval {
  /// Both ends, such as `0.91 to 0.95`; nil where there is none.
  fileprivate var text: String? {
    endsText { $0.shortText(significantDigits: 3) }
  }
}

extension String {
  /// At most a number of characters, with an ellipsis where some were left out.
  func shortened(to limit: Int) -> String {
    count > limit ? "\(prefix(limit - 1))…" : self
  }
}
