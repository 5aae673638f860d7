internal import Platform
package import Records

/// Settings over two metrics: those that no other beats joined by a line, the others grey.
package struct TradeOff: Sendable, Hashable {
  /// Names of the axes, with their units and which way is better.
  package var xLabel: String, yLabel: String
  /// A setting with its two metrics.
  package struct Point: Sendable, Hashable {
    /// Its position among the sweep's settings.
    package var setting: Int
    /// The metrics.
    package var x: Double, y: Double
  }

  /// The settings that some other beats.
  package var beaten: [Point]
  /// The settings that none beats, from left to right.
  package var front: [Point]
  /// Settings that stand out.
  package var marks: [Series.Mark]
}

extension TradeOff: DrawnChart {
  /// Up to so many beaten settings are dots of their own, which select them; above it they are one path.
  private static let maxDots = 2000

  func svg(id: String, in figure: Figure) -> String {
    let cloud = beaten.filter { $0.x.isFinite && $0.y.isFinite }
    let best = front.filter { $0.x.isFinite && $0.y.isFinite }
    let marks = marks.filter { $0.x.isFinite && $0.y.isFinite }
    let all = (cloud + best).map { ($0.x, $0.y) } + marks.map { ($0.x, $0.y) }
    var canvas = ChartCanvas(
      horizontal: Axis(over: all.map(\.0), isZoomed: true),
      vertical: Axis(over: all.map(\.1), isZoomed: true))
    canvas.drawAxes(xLabel: xLabel, yLabel: yLabel)
    if cloud.count > Self.maxDots {
      canvas.points(cloud.map { (canvas.x($0.x), canvas.y($0.y)) }, class: "cloud")
    } else {
      for point in cloud {
        canvas.point(
          at: (canvas.x(point.x), canvas.y(point.y)), class: "beaten",
          selection: SelectionAxis.selection(ofSetting: point.setting))
      }
    }
    canvas.path(best.map { (canvas.x($0.x), canvas.y($0.y)) }, class: "line s0")
    for point in best {
      canvas.dot(
        at: (canvas.x(point.x), canvas.y(point.y)), class: "dot s0",
        tip: "\(xLabel) \(point.x.shortText()), \(yLabel) \(point.y.shortText())",
        selection: SelectionAxis.selection(ofSetting: point.setting))
    }
    for mark in marks { canvas.draw(mark, xLabel: xLabel, yLabel: yLabel) }
    let spoken =
      "\(counted(front.count, "setting")) on the Pareto front, "
      + "\(counted(beaten.count, "other"))"
    return canvas.svg(
      id: id, title: figure.title,
      description: "\(yLabel) over \(xLabel): \(spoken)")
  }

  var markSentences: [String] {
    marks.map {
      "\($0.label): \(xLabel) \($0.x.shortText()), \(yLabel) \($0.y.shortText())"
    }
  }

  /// The Pareto-optimal settings, at most twelve.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] {
    [
      ChartTable(
        columns: [.numbers(xLabel), .numbers(yLabel)],
        rows: ChartTable.sample(of: front.count).map { position -> [Table.Cell] in
          let point = front[position]
          return [
            .text(
              point.x.shortText(), selection: SelectionAxis.selection(ofSetting: point.setting)),
            .text(point.y.shortText()),
          ]
        })
    ]
  }
}
