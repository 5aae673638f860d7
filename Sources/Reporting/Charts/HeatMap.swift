internal import Platform
package import Records

/// A metric over two parameters: a cell a setting, brighter where the metric is better, else larger.
package struct HeatMap: Sendable, Hashable {
  /// A cell that stands out.
  package struct Mark: Sendable, Hashable {
    /// What the cell is.
    package var label: String
    /// Its column and row; the first row is the lowest.
    package var column: Int, row: Int
    /// Whether it is the setting that things are compared with.
    package var isBase: Bool
  }

  /// Names of the axes, with their units.
  package var xLabel: String, yLabel: String
  /// What the colours show.
  package var metric: Sweep.Metric
  /// The values along the axes, ascending.
  package var x: [Double], y: [Double]
  /// A row a value of `y`, a value a value of `x`; nil where it is undefined or was not tried.
  package var values: [[Double?]]
  /// The setting of each value; nil where none was tried.
  package var settings: [[Int?]]
  /// The cells that stand out.
  package var marks: [Mark]
}

extension HeatMap: DrawnChart {
  /// How many colours there are.
  private static let steps = 10
  /// Up to so many cells show their value when pointed at, and select their setting; above it equal neighbours merge.
  private static let maxTips = 1600

  /// Whether one end of the metric is better than the other.
  var isDirected: Bool { [.higher, .lower].contains(metric.better) }

  /// The smallest and the largest value; nil without any.
  private var range: (low: Double, high: Double)? {
    let known = values.joined().compactMap { $0 }.filter(\.isFinite)
    guard let low = known.min(), let high = known.max() else { return nil }
    return (low, high)
  }

  /// The colour of a value, from 0 for the worst to 9 for the best, or for the largest; nil for none.
  private func step(_ value: Double?) -> Int? {
    guard let value, value.isFinite, let range else { return nil }
    // Halves keep the difference of two numbers of opposite sign finite.
    let width = range.high / 2 - range.low / 2
    let share = width > 0 ? (value / 2 - range.low / 2) / width : 1
    let goodness = width > 0 && metric.better == .lower ? 1 - share : share
    return min(HeatMap.steps - 1, max(0, Int(goodness * Double(HeatMap.steps))))
  }

  func svg(id: String, in figure: Figure) -> String {
    let widest = y.map { $0.shortText().count }.max() ?? 1
    let rows = Double(max(1, y.count))
    var canvas = ChartCanvas(
      horizontal: Axis(over: [0, Double(max(1, x.count))], isTight: true),
      vertical: Axis(over: [0, rows], isTight: true), height: min(400, max(120, rows * 28)),
      left: 34 + Double(widest) * ChartCanvas.characterWidth, rowsAbove: 3)
    drawKeys(on: &canvas)
    for row in y.indices { draw(row: row, on: &canvas) }
    for mark in marks where x.indices.contains(mark.column) && y.indices.contains(mark.row) {
      outline(
        x: canvas.x(Double(mark.column)), y: canvas.y(Double(mark.row + 1)),
        width: cellWidth(canvas), height: cellHeight(canvas), isBase: mark.isBase, on: &canvas)
    }
    let columnStep = (x.count + 11) / 12
    for (column, value) in x.enumerated() where column % max(1, columnStep) == 0 {
      canvas.text(
        value.shortText(), at: (canvas.x(Double(column) + 0.5), canvas.bottom + 18),
        anchor: "middle", class: "tick")
    }
    let rowStep = Int((rows * 15 / (canvas.bottom - canvas.top)).rounded(.up))
    for (row, value) in y.enumerated() where row % max(1, rowStep) == 0 {
      canvas.text(
        value.shortText(), at: (canvas.left - 6, canvas.y(Double(row) + 0.5) + 4), anchor: "end",
        class: "tick")
    }
    canvas.text(
      xLabel, at: ((canvas.left + canvas.right) / 2, canvas.bottom + 36), anchor: "middle",
      class: "name")
    canvas.drawVerticalName(yLabel)
    let spoken = range.map { "from \(metric.text($0.low)) to \(metric.text($0.high))" } ?? "no data"
    return canvas.svg(
      id: id, title: figure.title,
      description: "\(metric.title) over \(xLabel) and \(yLabel), \(spoken). "
        + markSentences.joined(separator: "; "))
  }

  private func cellWidth(_ canvas: ChartCanvas) -> Double { canvas.x(1) - canvas.x(0) }

  private func cellHeight(_ canvas: ChartCanvas) -> Double { canvas.y(0) - canvas.y(1) }

  private func draw(row: Int, on canvas: inout ChartCanvas) {
    let line = x.indices.map { cell(column: $0, row: row) }
    let isFine = x.count * y.count <= HeatMap.maxTips
    let (width, height) = (cellWidth(canvas), cellHeight(canvas))
    var column = 0
    while column < line.count {
      let step = step(line[column])
      var end = column + 1
      while !isFine, end < line.count, self.step(line[end]) == step { end += 1 }
      canvas.bar(
        x: canvas.x(Double(column)), y: canvas.y(Double(row + 1)),
        width: width * Double(end - column), height: height, class: step.map { "h\($0)" } ?? "hole",
        tip: isFine
          ? "\(xLabel) \(x[column].shortText()), \(yLabel) \(y[row].shortText()): "
            + "\(metric.title) \(metric.text(line[column]))" : nil,
        selection: isFine ? selection(column: column, row: row) : nil)
      if width >= 48, height >= 18 {
        let isBright = step.map { $0 >= HeatMap.steps / 2 }
        canvas.text(
          metric.text(line[column]),
          at: (canvas.x(Double(column) + 0.5), canvas.y(Double(row) + 0.5) + 4), anchor: "middle",
          class: isBright.map { $0 ? "cell bright" : "cell dark" } ?? "cell")
      }
      column = end
    }
  }

  private func cell(column: Int, row: Int) -> Double? {
    guard values.indices.contains(row), values[row].indices.contains(column) else { return nil }
    return values[row][column]
  }

  private func selection(column: Int, row: Int) -> String? {
    guard settings.indices.contains(row), settings[row].indices.contains(column) else { return nil }
    return settings[row][column].map { SelectionAxis.selection(ofSetting: $0) }
  }

  private func drawKeys(on canvas: inout ChartCanvas) {
    let size = 16.0
    if let range {
      let ends = metric.better == .lower ? (range.high, range.low) : (range.low, range.high)
      let from = "\(metric.title): \(metric.text(ends.0))"
      var position = 4 + Double(from.count) * ChartCanvas.characterWidth + 6
      canvas.text(from, at: (4, 14), anchor: "start", class: "key")
      for step in 0..<HeatMap.steps {
        canvas.bar(x: position, y: 3, width: size, height: 14, class: "h\(step)")
        position += size
      }
      canvas.text(
        metric.text(ends.1) + (isDirected ? ", better" : ""), at: (position + 6, 14),
        anchor: "start", class: "key")
    }
    var position = 4.0
    for mark in marks {
      outline(x: position + 3, y: 26, width: 16, height: 12, isBase: mark.isBase, on: &canvas)
      canvas.text(mark.label, at: (position + 26, 36), anchor: "start", class: "key")
      position += 46 + Double(mark.label.count) * ChartCanvas.characterWidth
    }
  }

  private func outline(
    x: Double, y: Double, width: Double, height: Double, isBase: Bool,
    on canvas: inout ChartCanvas
  ) {
    for name in ["edge", isBase ? "base" : "pick"] {
      canvas.bar(x: x + 1, y: y + 1, width: width - 2, height: height - 2, class: name)
    }
  }

  /// The values as rows of `y` and columns of `x`, at most twelve of each.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    let columns = ChartTable.sample(of: x.count)
    return [
      ChartTable(
        columns: [.words("\(yLabel) ↓, \(xLabel) →")]
          + columns.map { .numbers(x[$0].shortText()) },
        rows: ChartTable.sample(of: y.count).map { row in
          [.text(y[row].shortText())]
            + columns.map {
              .text(
                metric.text(cell(column: $0, row: row)), selection: selection(column: $0, row: row))
            }
        })
    ]
  }

  /// A few words for each mark.
  var markSentences: [String] {
    marks.compactMap { mark in
      guard x.indices.contains(mark.column), y.indices.contains(mark.row) else { return nil }
      return "\(mark.label): \(xLabel) \(x[mark.column].shortText()), "
        + "\(yLabel) \(y[mark.row].shortText()), \(metric.title) "
        + metric.text(cell(column: mark.column, row: mark.row))
    }
  }
}
