internal import Platform
import Records

/// A metric over runs, small enough for a cell of a table: a line through the values and a bar for each interval.
enum Sparkline {
  private static let width = 116.0
  private static let height = 34.0
  private static let margin = 4.0

  /// The drawing; its measurements have values.
  ///
  /// It spans the values and the ends of their intervals, at least a tenth of the largest of them
  /// (`Axis.minSpan`), so that no small change looks like a cliff. Without ticks, it has no round ends.
  static func svg(_ metrics: [Measurement]) -> String {
    let vertical = Axis(
      over: metrics.flatMap(\.extent), isTight: true, isZoomed: true)
    func y(_ value: Double) -> String {
      coordinate(height - margin - vertical.fraction(value) * (height - 2 * margin))
    }
    func x(_ index: Int) -> String {
      let share = metrics.count < 2 ? 0.5 : Double(index) / Double(metrics.count - 1)
      return coordinate(margin + share * (width - 2 * margin))
    }
    let values = metrics.enumerated().compactMap { index, metric in
      metric.value.map { (x: x(index), y: y($0)) }
    }
    var xml = XMLWriter()
    xml.element(
      "svg",
      [
        "class": "spark", "viewBox": "0 0 \(coordinate(width)) \(coordinate(height))",
        "role": "img", "aria-label": text(metrics),
      ]
    ) { svg in
      for (index, metric) in metrics.enumerated() {
        guard let low = metric.interval.low, let high = metric.interval.high else { continue }
        svg.empty(
          "line", ["class": "whisker", "x1": x(index), "x2": x(index), "y1": y(low), "y2": y(high)])
      }
      svg.empty(
        "path",
        ["class": "line s0", "d": "M" + values.map { "\($0.x) \($0.y)" }.joined(separator: "L")])
      for (point, metric) in zip(values, metrics) {
        svg.element("circle", ["class": "dot s0", "cx": point.x, "cy": point.y, "r": "2.5"]) {
          $0.element("title", text: sentence(metric))
        }
      }
    }
    return xml.output
  }

  /// The values in words, oldest first.
  static func text(_ metrics: [Measurement]) -> String {
    metrics.map(\.valueText).joined(separator: " → ")
  }

  private static func sentence(_ metric: Measurement) -> String {
    metric.valueText + (metric.intervalText.map { ", 95 % interval \($0)" } ?? ", no interval")
  }
}
