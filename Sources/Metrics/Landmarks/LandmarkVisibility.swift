package import FaceCore
package import Records

/// How well a tracker tells hidden points from visible ones, over the labelled points of found faces.
///
/// For trackers that say of each point whether it is hidden. Points without a label do not count; points are pooled
/// over faces, as COFW's evaluation does.
package struct LandmarkVisibility: FrameMetric {
  /// One frame's points.
  package struct Entry: Sendable, Hashable {
    /// Said to be hidden and labelled hidden.
    var found = 0
    /// Said to be hidden and labelled visible.
    var falselyHidden = 0
    /// Said to be visible and labelled hidden.
    var missed = 0
  }

  /// What is kept of each frame.
  package var frames = FrameTable<Entry>()

  /// Starts without frames.
  package init() {}

  /// Takes in one frame's found faces: the labels, and which of their points the tracker says are hidden.
  ///
  /// Throws for a frame added before and for as many flags as there are not points.
  package mutating func add(
    frame: Int, faces: [(label: Landmarks, isHidden: [Bool])]
  ) throws(MetricError) {
    var entry = Entry()
    for face in faces {
      guard face.isHidden.count == face.label.visibility.count else {
        throw .flagCount(
          face.isHidden.count, points: face.label.visibility.count, frame: frame)
      }
      for (label, isHidden) in zip(face.label.visibility, face.isHidden) {
        switch (label, isHidden) {
        case (.occluded, true): entry.found += 1
        case (.occluded, false): entry.missed += 1
        case (.visible, true): entry.falselyHidden += 1
        default: break
        }
      }
    }
    try add(entry, for: frame)
  }

  /// The figure that errors name.
  package static var table: String { precision.name }

  /// Precision, then recall.
  package static let definitions = [precision, recall]

  private static let precision = definition(
    "precision", "Precision of hidden points",
    "points said to be hidden that are labelled hidden, over all said to be hidden")
  private static let recall = definition(
    "recall", "Recall of hidden points",
    "points labelled hidden that are said to be, over all labelled hidden")

  /// The figures in the order of `definitions`; n is the denominator.
  package func summarize() -> [Measurement] {
    let found = frames.entries.reduce(0) { $0 + $1.found }
    func share(_ definition: MetricDefinition, of whole: Int, else reason: String) -> Measurement {
      whole == 0
        ? definition.undefined(reason, n: 0)
        : definition.measurement(Double(found) / Double(whole), n: whole)
    }
    return [
      share(
        Self.precision, of: frames.entries.reduce(found) { $0 + $1.falselyHidden },
        else: "no labelled point is said to be hidden"),
      share(
        Self.recall, of: frames.entries.reduce(found) { $0 + $1.missed },
        else: "no point of a found face is labelled hidden"),
    ]
  }

  private static func definition(
    _ name: String, _ title: String, _ formula: String
  ) -> MetricDefinition {
    MetricDefinition(
      name: "landmarks.visibility.\(name)", title: title, stage: "landmarks", unit: "1",
      direction: .higher, formula: formula + ", pooled over found faces; in [0, 1]",
      source: "Burgos-Artizzu et al. 2013 (COFW), occlusion")
  }
}
