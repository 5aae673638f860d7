internal import Platform
import Records

/// Stages as bars one after the other, each from where the one above ends.
package struct StageBars: Sendable, Hashable {
  /// The stages in their order.
  package var bars: [StageBar]
}

/// How long a stage takes, as a bar.
package struct StageBar: Sendable, Hashable {
  /// The stage.
  package var label: String
  /// The median, in milliseconds.
  package var median: Double
  /// The 90th percentile, in milliseconds; nil where it is unknown.
  package var p90: Double?
  /// Whether it stands for the whole and so starts at 0.
  package var isTotal: Bool
}

extension StageBars: DrawnChart {
  func svg(id: String, in figure: Figure) -> String {
    var starts: [Double] = []
    var end = 0.0
    for bar in bars {
      starts.append(bar.isTotal ? 0 : end)
      if !bar.isTotal { end += max(0, bar.median) }
    }
    let ends = zip(bars, starts).flatMap { [$1 + $0.median, $1 + ($0.p90 ?? $0.median)] }
    let axis = Axis(over: [0] + ends, isTight: true, tickCount: 5)
    let longest = bars.map(\.label.count).max() ?? 0
    let rowHeight = 30.0
    var canvas = ChartCanvas(
      horizontal: Axis(over: [0, axis.high * 1.16], isTight: true),
      vertical: Axis(over: [0, 1]), height: Double(max(1, bars.count)) * rowHeight,
      left: min(220, 16 + Double(longest) * (ChartCanvas.characterWidth + 0.8)))
    canvas.drawHorizontalAxis(xLabel: "ms")
    for (row, (bar, start)) in zip(bars, starts).enumerated() {
      let middle = canvas.top + (Double(row) + 0.5) * rowHeight
      let (from, to) = (canvas.x(start), canvas.x(start + max(0, bar.median)))
      canvas.text(bar.label, at: (canvas.left - 8, middle + 4), anchor: "end", class: "tick")
      let median = bar.median.text(significantDigits: 3)
      let p90 = bar.p90.map { ", p90 \($0.text(significantDigits: 3)) ms" } ?? ""
      canvas.bar(
        x: from, y: middle - 9, width: max(1, to - from), height: 18,
        class: bar.isTotal ? "bar s5" : "bar s0", tip: "\(bar.label): p50 \(median) ms\(p90)")
      var edge = to
      if let p90 = bar.p90, p90.isFinite, p90 > bar.median {
        edge = canvas.x(start + p90)
        canvas.line(from: (to, middle), to: (edge, middle), class: "whisker")
        canvas.line(from: (edge, middle - 5), to: (edge, middle + 5), class: "whisker")
      }
      canvas.text(median, at: (edge + 6, middle + 4), anchor: "start", class: "label")
    }
    let spoken = bars.map { "\($0.label) \($0.median.text(significantDigits: 3)) ms" }
    return canvas.svg(
      id: id, title: figure.title,
      description: "Median durations: " + spoken.joined(separator: "; "))
  }

  /// None: the percentiles of stages are in a separate table.
  func tables(selecting axis: SelectionAxis?) -> [ChartTable] { [] }
}
