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

  /// Hands labels, faces and who is who to an accumulator.
  func add(
    _ frame: Int,
    to take: (Int, [FaceLabel], [FacePrediction], FaceMatching) throws(MetricError) -> Void
  ) throws(MetricError) {
    let faces = face.map { [$0] } ?? []
    try take(frame, [label], faces, FaceMatching(frame: frame, labels: [label], faces: faces))
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
