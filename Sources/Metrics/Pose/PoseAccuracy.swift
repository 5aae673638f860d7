package import FaceCore

/// How far heads are turned from their labels.
///
/// Over labelled faces whose label has a rotation. A face that was missed, or found without a
/// rotation, leaves the figures undefined; the figures of the others stand beside as `…conditional`.
package struct PoseAccuracy: FrameMetric {
  /// One labelled face; nothing is predicted where it was missed.
  package struct Face: Sendable, Hashable {
    var labelled: Rotation
    var predicted: Rotation?
  }

  /// What is kept of each frame.
  package var frames = FrameTable<[Face]>()

  /// Starts without frames.
  package init() {}

  /// Takes in the labelled faces of one frame with their predictions; throws for a frame added before.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    let entry = matching.labelledFaces.compactMap { label, face in
      labels[label].pose.flatMap { Rotation($0) }.map { labelled in
        Face(
          labelled: labelled,
          predicted: face.flatMap { faces[$0].pose }.flatMap { Rotation($0) })
      }
    }
    try add(entry, for: frame)
  }

  /// The figure that errors name.
  package static var table: String { "pose.geodesic" }

  /// Whether a labelled face has a rotation.
  package var hasLabels: Bool { frames.entries.contains { !$0.isEmpty } }

  /// Every face in the order of the frames' keys and their labels.
  var faces: [Face] { frames.entries.flatMap { $0 } }
}
