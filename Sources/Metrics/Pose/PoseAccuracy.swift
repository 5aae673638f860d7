package import FaceCore

/// How far heads are turned from their labels.
///
/// Over labelled faces whose label has a rotation. A face that was missed, or found without a
/// rotation, leaves the figures undefined; the figures of the others stand beside as `…conditional`.
package struct PoseAccuracy: Metric {
  /// One labelled face; nothing is predicted where it was missed.
  struct Face: Sendable, Hashable {
    var labelled: Rotation
    var predicted: Rotation?
  }

  private var frames: [Int: [Face]] = [:]

  /// Starts without frames.
  package init() {}

  /// Takes in the labelled faces of one frame with their predictions; throws for a frame added before.
  package mutating func add(
    frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching
  ) throws(MetricError) {
    guard frames[frame] == nil else { throw .repeatedFrame(frame, in: "pose.geodesic") }
    frames[frame] = matching.labelledFaces.compactMap { label, face in
      labels[label].pose.flatMap { Rotation($0) }.map { labelled in
        Face(
          labelled: labelled,
          predicted: face.flatMap { faces[$0].pose }.flatMap { Rotation($0) })
      }
    }
  }

  /// Takes in other frames; throws where a frame is in both.
  package mutating func merge(_ other: PoseAccuracy) throws(MetricError) {
    if let frame = other.frames.keys.filter({ frames[$0] != nil }).min() {
      throw .repeatedFrame(frame, in: "pose.geodesic")
    }
    frames.merge(other.frames) { own, _ in own }
  }

  /// Whether a labelled face has a rotation.
  package var hasLabels: Bool { frames.contains { !$0.value.isEmpty } }

  /// Every face in the order of the frames' keys and their labels.
  var faces: [Face] { frames.sorted { $0.key < $1.key }.flatMap(\.value) }
}
