import FaceCore
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
    /// Bin edges of a histogram; empty for others.
    var edges: [Double] = []
    /// The lane of frames that the horizontal axis shows; nil for none.
    var lane: String?

    /// The data of a curve or histogram; nil for other charts, whose parts carry their values.
    init?(_ figure: Figure) {
      lane = figure.lane?.rawValue
      switch figure.chart {
      case .curve(let curve):
        (xLabel, yLabel) = (curve.xLabel, curve.yLabel)
        lines = curve.lines.map { line in
          let points = zip(line.x, line.y).filter { $0.isFinite && $1.isFinite }
          return Line(
            label: line.label, x: points.map { $0.0.rounded6 }, y: points.map { $0.1.rounded6 })
        }
      case .histogram(let histogram):
        (xLabel, yLabel) = (histogram.xLabel, "count")
        edges = histogram.edges.map(\.rounded6)
      case .stages, .heatMap, .tradeOff, .slices, .dumbbells, .points: return nil
      }
    }
  }

  /// The settings of a sweep with all their metrics, as the sliders show them.
  struct SettingTable: Encodable {
    /// A knob with its option in MediaPipe's languages.
    struct Knob: Encodable {
      var name: String, unit: String
      /// The values that were tried, ascending.
      var values: [Double]
    }

    /// A metric.
    struct Metric: Encodable {
      var name: String, title: String, unit: String, better: String
    }

    /// A recommended setting.
    struct Advice: Encodable {
      var objective: String
      var setting: Int?
      /// Both ends of the interval of each knob's best value; null without.
      var intervals: [[Double]?]
      var verdict: String?
    }

    var knobs: [Knob]
    var metrics: [Metric]
    /// A row of values a setting.
    var settings: [[Double]]
    /// The text of each metric at each setting, one a line.
    var texts: [String]
    /// The interval of each metric at each setting, one a line, empty without one; nil where none were made.
    var intervals: [String]?
    /// The frames with most errors at each setting; nil where none had any.
    var wrong: Sweep.WrongFrames?
    /// JPEGs of some of these frames in base64, by position; empty without any.
    var images: [Int: String]
    /// The value of each metric at each setting, a row a metric; null where it is undefined.
    var values: [[Double?]]
    var base: Int?
    var advice: [Advice]

    init(_ sweep: Sweep, images: [FrameThumbnail]) {
      wrong = sweep.wrongFrames
      let frames = wrong?.frames.map(\.index) ?? []
      self.images = Dictionary(
        images.compactMap { image in
          frames.firstIndex(of: image.frame).map { ($0, Data(image.jpeg).base64EncodedString()) }
        }, uniquingKeysWith: { $1 })
      knobs = sweep.knobs.indices.map { index in
        Knob(
          name: sweep.knobs[index].name, unit: sweep.knobs[index].unit,
          values: Set(sweep.settings.map { $0[index] }).sorted())
      }
      metrics = sweep.metrics.map {
        Metric(name: $0.name, title: $0.title, unit: $0.unit, better: $0.better.rawValue)
      }
      settings = sweep.settings
      values = sweep.metrics.map { metric in
        sweep.settings.indices.map { sweep.value(metric.name, at: $0) }
      }
      texts = zip(sweep.metrics, values).map { metric, values in
        values.map(metric.text).joined(separator: "\n")
      }
      intervals = sweep.intervals.map { all in
        sweep.metrics.map { metric in
          sweep.settings.indices.map { setting in
            let column = all[metric.name] ?? []
            guard column.indices.contains(setting), let ends = column[setting] else { return "" }
            return ends.map { $0.shortText(significantDigits: 3) }.joined(separator: " to ")
          }.joined(separator: "\n")
        }
      }
      base = sweep.defaultSetting
      advice = sweep.advice.map { advice in
        Advice(
          objective: advice.objective, setting: advice.setting,
          intervals: advice.knobs.map { choice in
            choice.interval.low.flatMap { low in choice.interval.high.map { [low, $0] } }
          }, verdict: sweep.verdict(of: advice)?.text)
      }
    }
  }

  /// By the chart's identifier in the page.
  var charts: [String: ChartData] = [:]
  /// The settings; nil for a run of one.
  var sweep: SettingTable?

  /// The bytes of a JSON object; nil where a number is not finite.
  var json: [UInt8]? {
    (try? JSONEncoder.line.encode(self)).map { [UInt8]($0) }
  }
}

extension Double {
  /// The value with six significant digits, which is more than a chart shows.
  fileprivate var rounded6: Double {
    guard isFinite, self != 0 else { return self }
    let scale = pow(10, 5 - log10(magnitude).rounded(.down))
    return scale.isFinite && scale != 0 ? (self * scale).rounded() / scale : self
  }
}
