import Records

extension Chart {
  /// The chart as an SVG element; `id` must be unique in the page.
  func svg(id: String, title: String) -> String {
    switch self {
    case .curve(let curve): curve.svg(id: id, title: title)
    case .histogram(let histogram): histogram.svg(id: id, title: title)
    case .stages(let bars): stageBars(bars, id: id, title: title)
    case .heatMap(let map): map.svg(id: id, title: title)
    case .tradeOff(let plot): plot.svg(id: id, title: title)
    }
  }
}

extension Series.Curve {
  fileprivate func svg(id: String, title: String) -> String {
    let points = lines.map { line in
      zip(line.x, line.y).filter { $0.isFinite && $1.isFinite }
    }
    let marks = marks.filter { $0.x.isFinite && $0.y.isFinite }
    var canvas = ChartCanvas(
      horizontal: Axis(over: points.joined().map(\.0) + marks.map(\.x)),
      vertical: Axis(over: points.joined().map(\.1) + marks.map(\.y)),
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
    for mark in marks { canvas.draw(mark, xLabel: xLabel, yLabel: yLabel) }
    if points.allSatisfy(\.isEmpty) { canvas.drawNothing() }
    let spoken = lines.map { "\($0.label), \(counted($0.x.count, "point"))" }
    return canvas.svg(
      id: id, title: title,
      description: "\(yLabel) over \(xLabel). "
        + (spoken + marks.map { "\($0.label) at \(pair($0.x, $0.y))" }).joined(separator: "; "))
  }

  private func pair(_ x: Double, _ y: Double) -> String {
    "\(xLabel) \(x.shortText()), \(yLabel) \(y.shortText())"
  }
}

extension Series.Histogram {
  fileprivate func svg(id: String, title: String) -> String {
    let fine = rebinned(atMost: 80)
    let peaks = fine.counts.map { Double($0.max() ?? 0) }.filter { $0 > 0 }
    let peak = peaks.max() ?? 0
    let isLogarithmic = peak > 12 * (peaks.min() ?? peak)
    let marks = marks.filter(\.x.isFinite).sorted { $0.x < $1.x }
    let horizontal = Axis(over: edges + marks.map(\.x), isTight: true, tickCount: 6)
    let texts = marks.map { "\($0.label) \($0.x.shortText())" }
    let rows = rowsWithoutOverlap(texts, at: marks.map { horizontal.fraction($0.x) })
    var canvas = ChartCanvas(
      horizontal: horizontal,
      vertical: isLogarithmic ? Axis(logarithmicTo: peak) : Axis(over: [0, max(1, peak)]),
      legend: groups.count > 1 ? groups : [], rowsAbove: (rows.max() ?? -1) + 1)
    canvas.drawAxes(xLabel: xLabel, yLabel: isLogarithmic ? "count (log scale)" : "count")
    for (group, counts) in fine.counts.enumerated() {
      canvas.drawBins(fine.edges, counts, group: group, name: groups.count > 1 ? groups[group] : "")
    }
    for (index, mark) in marks.enumerated() {
      let x = canvas.x(mark.x)
      let row = canvas.top - 5 - Double(rows[index]) * 15
      canvas.line(from: (x, row + 2), to: (x, canvas.bottom), class: "markline")
      let isLeft = x > (canvas.left + canvas.right) / 2
      canvas.text(
        texts[index], at: (x + (isLeft ? -4 : 4), row), anchor: isLeft ? "end" : "start",
        class: "label")
    }
    if peak == 0 { canvas.drawNothing() }
    let totals = zip(groups, counts).map { "\($0): \(counted($1.saturatedSum, "value"))" }
    return canvas.svg(
      id: id, title: title,
      description: "Counts over \(xLabel). " + (totals + texts).joined(separator: "; "))
  }

  /// A row for each text above the plot, so that texts of one row do not meet.
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
  /// Draws a point with its name beside it.
  mutating func draw(_ mark: Series.Mark, xLabel: String, yLabel: String) {
    let position = (x: x(mark.x), y: y(mark.y))
    let length = Double(mark.label.count) * ChartCanvas.characterWidth
    let isLeft = position.x - 10 - length > left
    let isLow = position.y + 20 < bottom
    dot(
      at: position, class: "mark",
      tip: "\(mark.label): \(xLabel) \(mark.x.shortText()), \(yLabel) \(mark.y.shortText())")
    text(
      mark.label, at: (position.x + (isLeft ? -9 : 9), position.y + (isLow ? 18 : -9)),
      anchor: isLeft ? "end" : "start", class: "label")
  }

  fileprivate mutating func drawBins(
    _ edges: [Double], _ counts: [Int], group: Int, name: String
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
        tip: "\(range): \(count.groupedText)" + (name.isEmpty ? "" : " \(name)"))
    }
    guard let first = outline.first, let last = outline.last else { return }
    path([(first.x, bottom)] + outline + [(last.x, bottom)], class: "line \(seriesClass(group))")
  }

  fileprivate mutating func drawNothing() {
    text(
      "no data", at: ((left + right) / 2, (top + bottom) / 2), anchor: "middle", class: "name")
  }
}
