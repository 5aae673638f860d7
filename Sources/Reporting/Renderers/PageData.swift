import Foundation
internal import Platform
import Records

/// What the page's script reads: the data of charts, and the settings of a sweep.
struct PageData: Encodable {
  /// A chart's values, by which it answers where one points.
  struct ChartData: Encodable {
    /// A line or an outline.
    struct Line: Encodable {
      /// Name in the legend.
      var label: String
      /// Positions along the axes.
      var x: [Double], y: [Double]
    }

    /// Names of the axes.
    var xLabel: String, yLabel: String
    /// The lines of a curve.
    var lines: [Line] = []
    /// What points along the horizontal axis select; nil for nothing.
    var stops: Stops?
    /// The position of the parameter along the horizontal axis; nil for none.
    var parameter: Int?
    /// Whether the horizontal axis shows scores.
    var isOfScores = false

    /// Positions along the horizontal axis with what they select.
    struct Stops: Encodable {
      var x: [Double]
      var select: [String]
    }

    /// The data of a curve or histogram; nil for other charts, whose parts carry their values.
    init?(_ figure: Figure) {
      isOfScores = figure.axis == .scores
      switch figure.chart {
      case .curve(let curve):
        (xLabel, yLabel) = (curve.xLabel, curve.yLabel)
        lines = curve.lines.compactMap { line in
          let points = zip(line.x, line.y).filter { $0.isFinite && $1.isFinite }
          return points.isEmpty
            ? nil
            : Line(
              label: line.label, x: points.map { $0.0.rounded6 }, y: points.map { $0.1.rounded6 })
        }
        var x = curve.lines.first?.x ?? []
        if case .settings(_, let values, let position)? = figure.axis {
          (x, parameter) = (values, position)
        }
        let points = x.compactMap { x in figure.axis?.selection(at: x).map { (x, $0) } }
        if !points.isEmpty { stops = Stops(x: points.map(\.0), select: points.map(\.1)) }
      case .histogram(let histogram):
        (xLabel, yLabel) = (histogram.xLabel, "count")
      default: return nil
      }
    }
  }

  /// By the chart's identifier in the page.
  var charts: [String: ChartData] = [:]
  /// The settings; nil for a run of one.
  var sweep: SettingTable.Data?

  /// The bytes of a JSON object; nil where a number is not finite.
  var json: [UInt8]? {
    (try? JSONEncoder.line.encode(self)).map { [UInt8]($0) }
  }
}

extension Double {
  /// The value with six significant digits, which is more than a chart shows, and all of a whole number.
  fileprivate var rounded6: Double {
    guard isFinite, self != 0 else { return self }
    let scale = pow(10, max(0, 5 - log10(magnitude).rounded(.down)))
    return scale.isFinite && scale != 0 ? (self * scale).rounded() / scale : self
  }
}
