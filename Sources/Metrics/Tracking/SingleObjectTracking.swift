package import FaceCore

/// How well one target is followed: OTB's overlap and centre figures and VOT's long-term F.
///
/// Over video sequences in which at most one face is labelled and at most one given out in every
/// frame, the labels of one identity at most; the two are compared whatever their overlap, by the
/// boxes of `FaceMatching`. Frames that were not analysed and those where the label is ignored or a
/// crowd do not count. A labelled frame without a face has an overlap of 0 and no distance in reach.
package struct SingleObjectTracking: FrameMetric {
  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    /// Index of the sequence.
    package var sequence: Int
    /// Whether at most one face is labelled and one is given out.
    var isSingle: Bool
    /// Whether the label says neither that the target is there nor that it is not.
    var isIgnored: Bool
    var hasTarget: Bool
    var identity: Int?
    /// IoU of the face that reaches the tracker's threshold; 0 without it.
    var overlap = 0.0
    /// From centre to centre of that face, in pixels; nil without it.
    var distance: Double?
    /// IoU of the face, whatever its confidence; nil where none was given.
    var anyOverlap: Double?
    /// How sure the tracker is of it; nil where it does not say.
    var confidence: Double?
  }

  /// What is kept of each frame.
  package var frames = FrameTable<Entry>()

  /// Starts without frames.
  package init() {}

  /// Takes in one frame; throws for a frame added before and label boxes that are not well-formed.
  ///
  /// `faces` are those that count as given out, `all` with those that the operating threshold cuts off.
  package mutating func add(
    _ frame: Frame, isVideo: Bool, status: FramePrediction.Status, labels: [FaceLabel],
    faces: [FacePrediction], all: [FacePrediction]
  ) throws(MetricError) {
    guard isVideo, status == .analysed else { return }
    try labels.validate(frame: frame.index)
    let people = labels.filter { $0.category == 1 }
    let target = people.first.flatMap { $0.isIgnored || $0.isCrowd || $0.hasNoPlace ? nil : $0 }
    var entry = Entry(
      sequence: frame.sequence, isSingle: people.count <= 1 && faces.count <= 1 && all.count <= 1,
      isIgnored: !people.isEmpty && target == nil, hasTarget: target != nil,
      identity: target?.identity)
    let box = target?.matchingBox(beside: all)
    if let face = faces.first?.finiteBox, let box {
      entry.overlap = box.iou(with: face)
      entry.distance = box.center.distance(to: face.center)
    }
    if let face = all.first {
      entry.anyOverlap = box.flatMap { box in face.finiteBox.map { box.iou(with: $0) } } ?? 0
      let confidence = (face.presence ?? face.detectionScore).map { Double($0) }
      entry.confidence = confidence.flatMap { $0.isNaN ? nil : $0 }
    }
    try add(entry, for: frame.index)
  }

  /// The figure that errors name.
  package static var table: String { "tracking.success_auc" }

  /// Whether there is a sequence that the figures are of.
  package var hasTargets: Bool { !targets().isEmpty }

  /// The frames of each sequence of one target, without those that do not count.
  func targets() -> [[Entry]] {
    frames.sequences.map(\.entries)
      .filter { frames in
        frames.allSatisfy(\.isSingle)
          && Set(frames.filter(\.hasTarget).map(\.identity)).count == 1
      }
      .map { $0.filter { !$0.isIgnored } }
  }
}

extension BoundingBox {
  fileprivate var center: Point { Point(x: x + width / 2, y: y + height / 2) }
}
