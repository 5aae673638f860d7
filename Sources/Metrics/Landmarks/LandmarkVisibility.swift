package import FaceCore
package import Records

/// How well a tracker tells hidden points from visible ones, over the labelled points of found faces.
///
/// For trackers that report the visibility of points. Points without a label and points without a
/// reported visibility do not count; points are pooled over faces, as COFW's evaluation does.
package struct LandmarkVisibility: FrameMetric {
  /// One frame's points.
  package struct Entry: Sendable, Hashable {
    /// Reported hidden and labelled hidden.
    var found = 0
    /// Reported hidden and labelled visible.
    var falselyHidden = 0
    /// Reported visible and labelled hidden.
    var missed = 0
    /// Labelled hidden, without a reported visibility.
    var unreported = 0
  }

  package var frames = FrameTable<Entry>()

  package init() {}

  /// Takes in one frame's found faces: the labels, and which of their points are reported hidden.
  ///
  /// `isHidden` is nil for a face without reported visibilities; a flag is nil for a point without
  /// one. Throws for a frame added before and where flags and points differ in number.
  package mutating func add(
    frame: Int, faces: [(label: Landmarks, isHidden: [Bool?]?)]
  ) throws(MetricError) {
    var entry = Entry()
    for face in faces {
      let states = face.label.visibility
      let flags = face.isHidden ?? Array(repeating: nil, count: states.count)
      guard flags.count == states.count else {
        throw .flagCount(flags.count, points: states.count, frame: frame)
      }
      for (label, isHidden) in zip(states, flags) {
        switch (label, isHidden) {
        case (.occluded, nil): entry.unreported += 1
        case (.occluded, true): entry.found += 1
        case (.occluded, false): entry.missed += 1
        case (.visible, true): entry.falselyHidden += 1
        default: break
        }
      }
    }
    try add(entry, for: frame)
  }

  /// Precision, then recall.
  package static let definitions = [precision, recall]

  private static let precision = definition(
    "precision", "Precision of hidden points",
    "points reported hidden that are labelled hidden, over all reported hidden")
  private static let recall = definition(
    "recall", "Recall of hidden points",
    "points labelled hidden that are reported hidden, over all labelled hidden")

  /// The metrics in the order of `definitions`; n is the denominator.
  package func summarize() -> [Measurement] {
    let found = frames.entries.reduce(0) { $0 + $1.found }
    let reported = frames.entries.reduce(found) { $0 + $1.missed + $1.falselyHidden }
    let hasUnreported = frames.entries.contains { $0.unreported > 0 }
    let noReport =
      reported == 0 && hasUnreported ? "the tracker does not report which points are hidden" : nil
    return [
      Self.precision.ratio(
        found, of: frames.entries.reduce(found) { $0 + $1.falselyHidden },
        else: noReport ?? "no labelled point is reported hidden"),
      Self.recall.ratio(
        found, of: frames.entries.reduce(found) { $0 + $1.missed },
        else: noReport ?? "no point of a found face is labelled hidden"),
    ]
  }

  private static let definition = DefinitionGroup(
    prefix: "landmarks.visibility.", direction: .higher, range: .proportion,
    ending: ", pooled over found faces; in [0, 1]",
    source: "Burgos-Artizzu et al. 2013 (COFW), occlusion")
}

extension LandmarkVisibility: FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .points, .analysedFrames]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(
      frame: frame.frame.index,
      faces: frame.pairs.matches.compactMap { match in
        let face = frame.faces[match.face]
        return frame.labels[match.label].landmarks.first { $0.scheme == face.scheme }.map {
          ($0, face.hiddenPoints)
        }
      })
  }

  /// Whether a point of a found face is labelled hidden or reported hidden.
  package var isPresent: Bool { frames.entries.contains { $0 != Entry() } }

  package static let presentation = MetricPresentation(
    headlines: [.init(.visibility, definitions.map(\.name))])
}

extension LandmarkVisibility.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(found, falselyHidden, missed, unreported)
  }
  package init(from row: inout RowReader) {
    self.init(
      found: row.read(), falselyHidden: row.read(), missed: row.read(), unreported: row.read())
  }
}
