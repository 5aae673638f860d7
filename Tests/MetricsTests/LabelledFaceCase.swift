import FaceCore
import Metrics
import Statistics
import TestSupport

/// A frame with one labelled face and perhaps its prediction in the same position.
struct LabelledFaceCase {
  var label: FaceLabel
  var face: FacePrediction?

  private static let box = BoundingBox(x: 0, y: 0, width: 40, height: 40)

  init(isFound: Bool) {
    label = FaceLabel(box: Self.box)
    face = isFound ? FacePrediction(box: Self.box) : nil
  }

  /// The frame that has this face alone.
  func scored(_ frame: Frame, isVideo: Bool = false) throws(MetricError) -> ScoredFrame {
    let prediction = FramePrediction(frame.index, faces: face.map { [$0] } ?? [])
    return try ScoredFrame(frame, isVideo: isVideo, labels: [label], prediction: prediction)
  }

  /// The same at a place in the run.
  func scored(_ index: Int) throws(MetricError) -> ScoredFrame { try scored(Frame(index, at: 0)) }
}

extension ScoredFrame {
  /// A frame whose faces all count and are compared as their boxes match.
  init(
    _ frame: Frame, isVideo: Bool = false, group: String? = nil, labels: [FaceLabel],
    prediction: FramePrediction, previous: LabelledJitter.Sight? = nil
  ) throws(MetricError) {
    let matching = try FaceMatching(frame: frame.index, labels: labels, faces: prediction.faces)
    self.init(
      frame, isVideo: isVideo, group: group, labels: labels, given: prediction,
      prediction: prediction, matching: matching, pairs: matching,
      earlier: previous.map { [$0] } ?? [])
  }
}

extension Metric {
  /// Adds items in any order to four parts, merges them in any order, and returns the whole.
  static func inParts<Item>(
    _ items: [Item], using generator: inout SplitMix64, empty: Self,
    add: (inout Self, Item) throws -> Void
  ) throws -> Self {
    var parts = [Self](repeating: empty, count: 4)
    for item in items.shuffled(using: &generator) {
      try add(&parts[Int.random(in: 0..<4, using: &generator)], item)
    }
    var merged = empty
    for part in parts.shuffled(using: &generator) { try merged.merge(part) }
    return merged
  }
}
