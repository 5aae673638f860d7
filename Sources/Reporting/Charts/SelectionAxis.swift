internal import Platform
import Records

/// What the points or bins along a chart's horizontal axis select: frames, or settings of a sweep.
package enum SelectionAxis: Sendable, Hashable {
  /// Frames by a number that each has: a bin those within it, a point those from it on.
  case lane(FrameLane)
  /// Frames by scores of detections: the first group of a histogram is true positives, the second false ones.
  case scores
  /// Frames by scores, from means of ten equal bins `(a, b]`.
  case confidence
  /// Frames with errors at the threshold of a recall.
  case recall
  /// Frames with errors at the threshold of a number of false positives an image.
  case falsePositives
  /// Settings of a sweep, by the values of the parameter at a position.
  case settings([Int], values: [Double], parameter: Int)
  /// Settings of a sweep, by points of curves of which each is a threshold.
  case thresholds([Choice])

  /// A setting that was run, on a curve over all thresholds.
  package struct Choice: Sendable, Hashable {
    /// The position of the line.
    package var line: Int
    /// The point.
    package var x: Double, y: Double
    /// The parameter with its value.
    package var label: String
    /// The setting, by its position.
    package var setting: Int
  }

  /// What a bin selects; the last one of scores has the highest score too, so it is open to the right.
  func selection(from low: Double, to high: Double, isLast: Bool, group: Int) -> String? {
    let (low, high) = (low.selectionText, high.selectionText)
    return switch self {
    case .lane(let lane): "\(lane.rawValue):\(low):\(high)"
    case .scores where group < 2:
      "\(group == 0 ? "true" : "false"):\(low):\(isLast ? "" : high)"
    default: nil
    }
  }

  /// What a point selects.
  func selection(at value: Double) -> String? {
    guard value.isFinite else { return nil }
    switch self {
    case .lane(let lane): return "\(lane.rawValue):\(value.selectionText):"
    case .scores: return "score:\(value.selectionText):"
    case .recall: return "recall:\(value.selectionText)"
    case .falsePositives: return "fppi:\(value.selectionText)"
    case .confidence:
      let bin = max(0, (value * 10).rounded(.up) - 1)
      return "confidence:\((bin / 10).selectionText):\(((bin + 1) / 10).selectionText)"
    case .settings(let settings, let values, _):
      return values.firstIndex(of: value).map { Self.selection(ofSetting: settings[$0]) }
    case .thresholds: return nil
    }
  }

  /// What selects a setting of a sweep by its position.
  static func selection(ofSetting setting: Int) -> String { "setting:\(setting)" }

  /// What selects the frames of a slice.
  static func selection(ofSlice slice: String) -> String { "slice:\(slice)" }

  /// What shows a frame by its number; nil for what is none.
  static func selection(ofFrame number: String) -> String? { Int(number).map { "frame:\($0)" } }

  /// What selects frames from one on, up to another, else to the end of the clip.
  static func selection(from first: String, to end: String?) -> String? {
    Int(first) == nil ? nil : "frames:\(first):" + (end.flatMap { Int($0) }.map { "\($0)" } ?? "")
  }
}

extension Series {
  /// What the points or bins of the series select; nil for series of no frames.
  var selectionAxis: SelectionAxis? {
    switch name {
    case SeriesName.latency(MetricName.total): .lane(.latency)
    case SeriesName.scores: .scores
    case SeriesName.precisionRecall: .recall
    case SeriesName.falsePositives: .falsePositives
    case SeriesName.reliability: .confidence
    default: name.hasPrefix(SeriesName.cumulativeErrors) ? .lane(.nme) : nil
    }
  }
}

extension Double {
  /// The number in an address, to twelve significant digits.
  fileprivate var selectionText: String { shortText(significantDigits: 12) }
}
