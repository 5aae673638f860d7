internal import Platform
package import Records

/// The kinds of charts, with their data.
package enum Chart: Sendable, Hashable {
  /// Lines over two axes.
  case curve(Series.Curve)
  /// Counts in bins.
  case histogram(Series.Histogram)
  /// Durations of stages, one after the other.
  case stages(StageBars)
  /// A metric over two parameters, as colours.
  case heatMap(HeatMap)
  /// Settings over two metrics, those that no other beats in front.
  case tradeOff(TradeOff)
  /// A metric of all slices of a dimension, with intervals.
  case slices(SliceBars)
  /// A metric over the severities of degradations, with intervals.
  case severities(SeverityChart)
  /// Metrics of two runs with their differences.
  case dumbbells(Dumbbells)
  /// The mean error of each point of a face, at its mean position.
  case points(PointMap)
  /// How much coefficients move with each other, as colours.
  case slopes(SlopeMatrix)

  /// What draws the chart.
  var drawn: any DrawnChart {
    switch self {
    case .curve(let chart): chart
    case .histogram(let chart): chart
    case .stages(let chart): chart
    case .heatMap(let chart): chart
    case .tradeOff(let chart): chart
    case .slices(let chart): chart
    case .severities(let chart): chart
    case .dumbbells(let chart): chart
    case .points(let chart): chart
    case .slopes(let chart): chart
    }
  }
}

/// A kind of chart: its drawing, and its data as text for forms that cannot draw.
protocol DrawnChart {
  /// The chart of a figure as an SVG element; `id` must be unique in the page.
  func svg(id: String, in figure: Figure) -> String

  /// The data as small tables, about eleven points per line and at most twelve bins; `axis` says what their rows select.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable]

  /// A few words for each mark.
  var markSentences: [String] { get }
}

extension DrawnChart {
  /// No marks.
  var markSentences: [String] { [] }
}

extension Series.Curve: DrawnChart {
  func svg(id: String, in figure: Figure) -> String {
    let limits = figure.limits
    let points = lines.map { line in
      zip(line.x, line.y).filter { $0.isFinite && $1.isFinite }
    }
    let marks = marks.filter { $0.x.isFinite && $0.y.isFinite }
    var canvas = ChartCanvas(
      horizontal: Axis(over: points.joined().map(\.0) + marks.map(\.x) + limits.on(.horizontal)),
      vertical: Axis(over: points.joined().map(\.1) + marks.map(\.y) + limits.on(.vertical)),
      legend: lines.count > 1 ? lines.map(\.label) : [])
    canvas.drawAxes(xLabel: xLabel, yLabel: yLabel)
    for (index, points) in points.enumerated() {
      let positions = points.map { (x: canvas.x($0.0), y: canvas.y($0.1)) }
      if points.count == 1, let position = positions.first, let point = points.first {
        canvas.dot(
          at: position, class: "dot \(seriesClass(index))",
          tip: "\(lines[index].label): \(pair(point.0, point.1))")
      } else {
        canvas.path(positions, class: "line \(seriesClass(index))")
      }
    }
    if case .thresholds(let choices)? = figure.axis {
      for choice in choices {
        canvas.dot(
          at: (canvas.x(choice.x), canvas.y(choice.y)), class: "dot \(seriesClass(choice.line))",
          tip: "\(choice.label): \(pair(choice.x, choice.y))",
          selection: SelectionAxis.selection(ofSetting: choice.setting))
      }
    }
    for limit in limits { canvas.draw(limit) }
    for mark in marks { canvas.draw(mark, xLabel: xLabel, yLabel: yLabel) }
    if points.allSatisfy(\.isEmpty) { canvas.drawNothing() }
    let spoken = lines.map { "\($0.label), \(counted($0.x.count, "point"))" }
    return canvas.svg(
      id: id, title: figure.title,
      description: "\(yLabel) over \(xLabel). "
        + (spoken + marks.map { "\($0.label) at \(pair($0.x, $0.y))" } + limits.map(\.label))
        .joined(separator: "; "))
  }

  private func pair(_ x: Double, _ y: Double) -> String {
    "\(xLabel) \(x.shortText()), \(yLabel) \(y.shortText())"
  }
}

extension Series.Histogram: DrawnChart {
  func svg(id: String, in figure: Figure) -> String {
    let fine = rebinned(atMost: 80)
    let peaks = fine.counts.map { Double($0.max() ?? 0) }.filter { $0 > 0 }
    let peak = peaks.max() ?? 0
    let isLogarithmic = peak > 12 * (peaks.min() ?? peak)
    let marks = marks.filter(\.x.isFinite).sorted { $0.x < $1.x }
    let bounds = figure.limits.filter { $0.axis == .horizontal && $0.value.isFinite }
    // A limit far to the right stands at the end, so that it does not squeeze the counts.
    let reach = Self.farthestLimit * (edges.filter(\.isFinite).max() ?? .infinity)
    let isFar = { (value: Double) in reach > 0 && value > reach }
    let horizontal = Axis(
      over: edges + marks.map(\.x) + bounds.map(\.value).filter { !isFar($0) }, isTight: true,
      tickCount: 6)
    let lines =
      marks.map { (text: "\($0.label) \($0.x.shortText())", x: $0.x, style: "markline") }
      + bounds.map {
        (text: $0.label + (isFar($0.value) ? " →" : ""), x: $0.value, style: $0.style)
      }
    let texts = lines.map(\.text)
    let rows = rowsWithoutOverlap(texts, at: lines.map { horizontal.fraction($0.x) })
    var canvas = ChartCanvas(
      horizontal: horizontal,
      vertical: isLogarithmic ? Axis(logarithmicTo: peak) : Axis(over: [0, max(1, peak)]),
      legend: groups.count > 1 ? groups : [], rowsAbove: (rows.max() ?? -1) + 1)
    canvas.drawAxes(xLabel: xLabel, yLabel: isLogarithmic ? "count (log scale)" : "count")
    for (group, counts) in fine.counts.enumerated() {
      canvas.drawBins(
        fine.edges, counts, group: group, name: groups.count > 1 ? groups[group] : "",
        axis: figure.axis)
    }
    for (index, line) in lines.enumerated() {
      let x = canvas.x(line.x)
      let row = canvas.top - 5 - Double(rows[index]) * 15
      canvas.line(from: (x, row + 2), to: (x, canvas.bottom), class: line.style)
    }
    for (index, line) in lines.enumerated() {
      let x = canvas.x(line.x)
      let row = canvas.top - 5 - Double(rows[index]) * 15
      canvas.label(
        texts[index], at: (x, row), gap: 4, isLeft: x > (canvas.left + canvas.right) / 2)
    }
    if peak == 0 { canvas.drawNothing() }
    let totals = zip(groups, counts).map { "\($0): \(counted($1.saturatedSum, "value"))" }
    return canvas.svg(
      id: id, title: figure.title,
      description: "Counts over \(xLabel). " + (totals + texts).joined(separator: "; "))
  }

  /// A limit that is more than so many times the largest value is not drawn at its place.
  private static let farthestLimit = 3.0

  /// The row of each text above the plot; texts in one row do not overlap.
  private func rowsWithoutOverlap(_ texts: [String], at fractions: [Double]) -> [Int] {
    let width = ChartCanvas.width - 60
    var ends: [Double] = []
    return zip(texts, fractions).map { text, fraction in
      let length = Double(text.count) * ChartCanvas.characterWidth + 14
      let x = fraction * width
      let start = fraction > 0.5 ? x - length : x
      let row = ends.firstIndex { $0 <= start } ?? ends.count
      if row == ends.count { ends.append(0) }
      ends[row] = start + length
      return row
    }
  }
}

extension ChartCanvas {
  /// Draws a point with its name next to it.
  mutating func draw(_ mark: Series.Mark, xLabel: String, yLabel: String) {
    let position = (x: x(mark.x), y: y(mark.y))
    let length = Double(mark.label.count) * ChartCanvas.characterWidth
    let isLeft = position.x - 10 - length > left
    let isLow = position.y + 20 < bottom
    dot(
      at: position, class: "mark",
      tip: "\(mark.label): \(xLabel) \(mark.x.shortText()), \(yLabel) \(mark.y.shortText())")
    label(
      mark.label, at: (position.x, position.y + (isLow ? 18 : -9)), gap: 9, isLeft: isLeft)
  }

  fileprivate mutating func drawBins(
    _ edges: [Double], _ counts: [Int], group: Int, name: String, axis: SelectionAxis?
  ) {
    var outline: [(x: Double, y: Double)] = []
    for (bin, count) in counts.enumerated() where bin + 1 < edges.count {
      let (start, end) = (x(edges[bin]), x(edges[bin + 1]))
      let top = y(Double(count))
      outline += [(start, top), (end, top)]
      guard count > 0 else { continue }
      let range =
        "\(edges[bin].shortText()) to \(edges[bin + 1].shortText())"
      bar(
        x: start, y: top, width: end - start, height: bottom - top,
        class: "bin \(seriesClass(group))",
        tip: "\(range): \(count.groupedText)" + (name.isEmpty ? "" : " \(name)"),
        selection: axis?.selection(
          from: edges[bin], to: edges[bin + 1], isLast: bin + 2 == edges.count, group: group))
    }
    guard let first = outline.first, let last = outline.last else { return }
    path([(first.x, bottom)] + outline + [(last.x, bottom)], class: "line \(seriesClass(group))")
  }

  fileprivate mutating func drawNothing() {
    text(
      "no data", at: ((left + right) / 2, (top + bottom) / 2), anchor: "middle", class: "name")
  }
}

/// A chart's data as text, for forms that cannot draw.
struct ChartTable {
  var columns: [Table.Column]
  var rows: [[Table.Cell]]
}

extension ChartTable {
  /// A table of cells that select nothing.
  init(columns: [Table.Column], texts: [[String]]) {
    self.init(columns: columns, rows: texts.map { row in row.map { .text($0) } })
  }

  /// At most twelve positions below a count, spread evenly from the first to the last.
  static func sample(of count: Int) -> [Int] {
    guard count > 12 else { return Array(0..<count) }
    return (0..<12).map { $0 * (count - 1) / 11 }
  }
}

extension Series.Curve {
  /// One table where all lines have the same positions, else one per line.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    guard let first = lines.first else { return [] }
    if lines.allSatisfy({ $0.x == first.x && $0.y.count == first.x.count }) {
      return [table(of: lines, selecting: axis)]
    }
    return lines.map { table(of: [$0], selecting: axis) }
  }

  var markSentences: [String] {
    marks.map { "\($0.label): \(pair($0.x, $0.y))" }
  }

  private func table(of lines: [Series.Line], selecting axis: SelectionAxis?) -> ChartTable {
    let x = lines.first?.x ?? []
    let count = lines.map { min($0.x.count, $0.y.count) }.min() ?? 0
    let samples = Set((0...10).map { ($0 * (count - 1) + 5) / 10 }).sorted()
    return ChartTable(
      columns: [.numbers(xLabel)] + lines.map { .numbers("\(yLabel), \($0.label)") },
      rows: samples.filter { (0..<count).contains($0) }.map { index in
        [.text(x[index].shortText(), selection: axis?.selection(at: x[index]))]
          + lines.map { .text($0.y[index].shortText()) }
      })
  }
}

extension Sequence<Int> {
  /// The sum, or the nearest integer there is where it does not fit.
  var saturatedSum: Int {
    reduce(0) { sum, value in
      let (result, overflow) = sum.addingReportingOverflow(value)
      return overflow ? (value > 0 ? .max : .min) : result
    }
  }
}

extension Series.Histogram {
  /// The same counts in fewer bins, by joining neighbours.
  func rebinned(atMost limit: Int) -> Series.Histogram {
    let bins = edges.count - 1
    guard bins > limit, limit > 0 else { return self }
    let width = (bins + limit - 1) / limit
    let starts = Array(stride(from: 0, to: bins, by: width))
    return Series.Histogram(
      xLabel: xLabel, edges: starts.map { edges[$0] } + edges.suffix(1), groups: groups,
      counts: counts.map { row in
        starts.map { row[min($0, row.count)..<min($0 + width, row.count)].saturatedSum }
      }, marks: marks)
  }

  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    [rebinned(atMost: 12).table(selecting: axis)]
  }

  var markSentences: [String] { marks.map { "\($0.label): \(xLabel) \($0.x.shortText())" } }

  /// A bin selects from its name where there is one group, else from the counts.
  private func table(selecting axis: SelectionAxis?) -> ChartTable {
    let rows = zip(edges, edges.dropFirst()).enumerated().map { bin, ends -> [Table.Cell] in
      func selection(_ group: Int) -> String? {
        axis?.selection(
          from: ends.0, to: ends.1, isLast: bin + 2 == edges.count, group: group)
      }
      let range = "\(ends.0.shortText()) to \(ends.1.shortText())"
      return [.text(range, selection: counts.count == 1 ? selection(0) : nil)]
        + counts.enumerated().map { group, row in
          .text(
            bin < row.count ? row[bin].groupedText : "–",
            selection: counts.count == 1 ? nil : selection(group))
        }
    }
    return ChartTable(columns: [.words(xLabel)] + groups.map { .numbers($0) }, rows: rows)
  }
}
