internal import Platform
package import Records

/// Settings over two metrics: those that no other beats joined by a line, the others grey.
package struct TradeOff: Sendable, Hashable {
  /// Names of the axes, with their units and which way is better.
  package var xLabel: String, yLabel: String
  /// The settings that some other beats.
  package var beaten: Series.Line
  /// The settings that none beats, from left to right.
  package var front: Series.Line
  /// Settings that stand out.
  package var marks: [Series.Mark]
}

extension TradeOff {
  /// The drawing as an SVG element; `id` must be unique in the page.
  func svg(id: String, title: String) -> String {
    let cloud = TradeOff.points(beaten)
    let best = TradeOff.points(front)
    let marks = marks.filter { $0.x.isFinite && $0.y.isFinite }
    let all = cloud + best + marks.map { ($0.x, $0.y) }
    var canvas = ChartCanvas(
      horizontal: Axis(over: all.map(\.0), isZoomed: true),
      vertical: Axis(over: all.map(\.1), isZoomed: true))
    canvas.drawAxes(xLabel: xLabel, yLabel: yLabel)
    canvas.points(cloud.map { (canvas.x($0.0), canvas.y($0.1)) }, class: "cloud")
    canvas.path(best.map { (canvas.x($0.0), canvas.y($0.1)) }, class: "line s0")
    for point in best {
      canvas.dot(
        at: (canvas.x(point.0), canvas.y(point.1)), class: "dot s0",
        tip: "\(xLabel) \(point.0.shortText()), \(yLabel) \(point.1.shortText())")
    }
    for mark in marks { canvas.draw(mark, xLabel: xLabel, yLabel: yLabel) }
    let spoken =
      "\(counted(front.x.count, "setting")) on the Pareto front, "
      + "\(counted(beaten.x.count, "other"))"
    return canvas.svg(
      id: id, title: title,
      description: "\(yLabel) over \(xLabel): \(spoken)")
  }

  private static func points(_ line: Series.Line) -> [(Double, Double)] {
    zip(line.x, line.y).filter { $0.isFinite && $1.isFinite }
  }

  /// The Pareto-optimal settings, at most twelve.
  var table: ChartTable {
    let count = min(front.x.count, front.y.count)
    let positions = count > 12 ? (0..<12).map { $0 * (count - 1) / 11 } : Array(0..<count)
    return ChartTable(
      columns: [.numbers(xLabel), .numbers(yLabel)],
      rows: positions.map { [front.x[$0].shortText(), front.y[$0].shortText()] })
  }
}
