package import FaceCore
package import Records

/// How well one target is followed: OTB's overlap and centre metrics and VOT's long-term F.
///
/// Over video sequences in which at most one face is labelled and at most one given out in every
/// frame, the labels of one identity at most; the two are compared whatever their overlap, by the
/// boxes of `FaceMatching`; of predictions without positions there are none. Frames that were not analysed and those where the label is ignored or a
/// crowd do not count. A labelled frame without a face has an overlap of 0 and no distance in reach.
package struct SingleObjectTracking: FrameMetric {
  /// One analysed frame.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    /// Whether at most one face is labelled and one is given out.
    var isSingle: Bool
    /// Whether the label leaves open if the target is there.
    var isIgnored: Bool
    var hasTarget: Bool
    var identity: Int?
    /// IoU of the face that reaches the tracker's threshold; 0 without it.
    var overlap = 0.0
    /// From centre to centre of that face, in pixels; nil without it.
    var distance: Double?
    /// IoU of the face, whatever its confidence; nil where none was given.
    var anyOverlap: Double?
    /// How sure the tracker is of it; nil where it does not report that.
    var confidence: Double?
  }

  package var frames = FrameTable<Entry>()

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
    let target = people.first.flatMap { $0.isIgnored || $0.isCrowd || $0.hasNoPosition ? nil : $0 }
    var entry = Entry(
      sequence: frame.sequence, isSingle: people.count <= 1 && faces.count <= 1 && all.count <= 1,
      isIgnored: !people.isEmpty && target == nil, hasTarget: target != nil,
      identity: target?.identity)
    let boxes = target?.matchingBoxes(hasInner: all.haveInnerPoints)
    if let face = faces.first, let pair = boxes?.pair(with: face, in: face.finiteBox) {
      entry.overlap = pair.label.iou(with: pair.face)
      entry.distance = pair.label.center.distance(to: pair.face.center)
    }
    if let face = all.first {
      entry.anyOverlap = boxes.flatMap { $0.iou(with: face, in: face.finiteBox) } ?? 0
      let confidence = (face.presence ?? face.detectionScore).map { Double($0) }
      entry.confidence = confidence.flatMap { $0.isNaN ? nil : $0 }
    }
    try add(entry, for: frame.index)
  }

  /// A sequence of one target.
  struct Target: Sendable {
    /// Its frames without those that do not count.
    let frames: [Entry]
    /// How many of them are labelled, and the means over these.
    let labelled: Int
    let success, precision, overlap: Double

    /// Nil for frames that are not of one target.
    init?(_ frames: [Entry]) {
      guard frames.allSatisfy(\.isSingle),
        Set(frames.filter(\.hasTarget).map(\.identity)).count == 1
      else { return nil }
      self.frames = frames.filter { !$0.isIgnored }
      let labelled = self.frames.filter(\.hasTarget)
      self.labelled = labelled.count
      func mean(_ value: (Entry) -> Double) -> Double {
        labelled.reduce(0) { $0 + value($1) } / Double(labelled.count)
      }
      success = mean { entry in Double((0...20).count { entry.overlap > Double($0) / 20 }) / 21 }
      precision = mean { ($0.distance ?? .infinity) <= 20 ? 1 : 0 }
      overlap = mean(\.overlap)
    }
  }

  /// The sequences of one target.
  func targets() -> [Target] { frames.sequences.compactMap { Target($0.entries) } }

  /// The frames of the sequences of one target; others lend the metrics no certainty.
  package var countedFrames: FrameRuns {
    let ofTargets = Set(frames.sequences.filter { Target($0.entries) != nil }.map(\.index))
    return frames.keys { ofTargets.contains($0.sequence) }
  }
}

extension SingleObjectTracking {
  /// OTB's metrics, then VOT's.
  package static let definitions = [
    successArea, precision, meanOverlap, longTermF, longTermPrecision, longTermRecall,
    longTermConfidence,
  ]

  private static let otb = DefinitionGroup(
    prefix: "tracking.", direction: .higher, range: .unit, ending: withoutTarget,
    source: "OTB (Wu, Lim and Yang 2013), one-pass evaluation")
  private static let vot = DefinitionGroup(
    prefix: "tracking.", direction: .higher, range: .unit, ending: withoutTarget,
    source: "VOT long-term (Lukežič et al. 2018)")
  private static let withoutTarget =
    "; undefined without a video sequence of one labelled face and at most one given out"

  /// Area under OTB's success plot.
  package static let successArea = otb(
    "success_auc", "Success (area under curve)",
    "share of labelled frames with an IoU over t, mean over the 21 thresholds t of 0, 0.05 … 1; "
      + "mean over sequences; in [0, 20/21]")
  /// OTB's precision at its usual threshold.
  package static let precision = otb(
    "precision@20px", "Centre within 20 px",
    "share of labelled frames where the centres of the two boxes are 20 px or less apart; mean over "
      + "sequences; in [0, 1]")
  /// Mean IoU.
  package static let meanOverlap = otb(
    "mean_iou", "Mean IoU with the target",
    "mean IoU over the labelled frames, 0 where no face is given out; mean over sequences; in "
      + "[0, 1]")
  /// The largest F over the confidence.
  package static let longTermF = vot(
    "vot.f", "Long-term F",
    "largest 2·Pr·Re / (Pr + Re) over 100 thresholds of the confidence: ∞, 98 quantiles, −∞; faces "
      + "below the tracker's own threshold count too; of equal ones the highest threshold; in "
      + "[0, 1]")
  /// Precision where F is largest.
  package static let longTermPrecision = vot(
    "vot.pr", "Long-term precision",
    "mean IoU over frames with a face of the confidence of tracking.vot.f or more, 0 where the "
      + "target is not there, 1 without such frames; mean over sequences; in [0, 1]")
  /// Recall where F is largest.
  package static let longTermRecall = vot(
    "vot.re", "Long-term recall",
    "sum of the IoU over frames with a face of the confidence of tracking.vot.f or more, over the "
      + "labelled frames; mean over sequences; in [0, 1]")
  /// The confidence at which F is largest.
  package static let longTermConfidence = vot(
    "vot.confidence", "Confidence of the largest long-term F", .neither, in: .any,
    "threshold of the confidence that tracking.vot.f has, the lowest confidence for −∞; undefined "
      + "where F is 0")

  /// The metrics in the order of `definitions`; n is the number of frames.
  package func summarize() -> [Measurement] { Self.measurements(of: targets()) }

  fileprivate static func measurements(of targets: [Target]) -> [Measurement] {
    guard !targets.isEmpty else {
      return definitions.map {
        $0.undefined("no video sequence has one target and at most one face given out", n: 0)
      }
    }
    let n = targets.reduce(0) { $0 + $1.labelled }
    func mean(_ definition: MetricDefinition, _ value: (Target) -> Double) -> Measurement {
      let sum = targets.reduce(0) { $0 + value($1) }
      return definition.measurement(sum / Double(targets.count), n: n)
    }
    return [
      mean(successArea, \.success), mean(precision, \.precision), mean(meanOverlap, \.overlap),
    ] + longTermMetrics(targets.map(\.frames))
  }

  private static func longTermMetrics(_ sequences: [[Entry]]) -> [Measurement] {
    let definitions = Self.definitions.suffix(4)
    let n = sequences.reduce(0) { $0 + $1.count }
    let given = sequences.joined().filter { $0.anyOverlap != nil }
    guard !given.isEmpty else {
      return definitions.map { $0.undefined("no face is given out", n: n) }
    }
    guard given.allSatisfy({ $0.confidence != nil }) else {
      return definitions.map { $0.undefined("not every face has a confidence", n: n) }
    }
    let best = LongTermCurve(sequences).best
    let confidence =
      best.threshold == -.infinity ? given.compactMap(\.confidence).min() : best.threshold
    return [
      Self.longTermF.measurement(best.f, n: n),
      Self.longTermPrecision.measurement(best.precision, n: n),
      Self.longTermRecall.measurement(best.recall, n: n),
      Self.longTermConfidence.measurement(
        best.f > 0 ? confidence : nil, n: n, else: "no face given out overlaps the target"),
    ]
  }
}

extension SingleObjectTracking: FamilyWithoutSettings {
  package static let requirements: MetricRequirements = [.labels, .faces]

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    guard frame.matching.facesHavePositions else { return }
    try add(
      frame.frame, isVideo: frame.isVideo, status: frame.prediction.status, labels: frame.labels,
      faces: frame.faces, all: frame.given.faces)
  }

  /// Whether there is a sequence that the metrics are of.
  package var isPresent: Bool { !targets().isEmpty }

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    TargetResampler(self, of: clusters)
  }

  /// A sequence that the metrics are not of is only known to be none.
  package mutating func condense(_ video: Range<Int>) {
    var own = self
    own.draw(FrameDraw(video))
    guard own.targets().isEmpty else { return }
    frames.update(from: video.lowerBound) {
      $0 = Entry(sequence: $0.sequence, isSingle: false, isIgnored: false, hasTarget: false)
    }
  }
}

/// Measures draws from the targets of each stretch of frames, which are read once for all draws.
private struct TargetResampler: FamilyResampler {
  private let targets: [Range<Int>: [SingleObjectTracking.Target]]

  init(_ family: SingleObjectTracking, of clusters: FrameClusters) {
    var stretches: [Range<Int>: FrameDraw] = [:]
    for cluster in 0..<clusters.count {
      for stretch in clusters.draw(only: cluster).stretches {
        stretches[stretch.frames] = FrameDraw(stretch.frames)
      }
    }
    targets = stretches.mapValues {
      var part = family
      part.draw($0)
      return part.targets()
    }
  }

  func measurements(of draw: ClusterDraw) -> [Measurement] {
    SingleObjectTracking.measurements(
      of: draw.frames.stretches.flatMap { targets[$0.frames] ?? [] })
  }
}

extension SingleObjectTracking {
  package static let presentation = MetricPresentation(
    headlines: [.init(.singleObject, [successArea.name, precision.name])])
}

extension SingleObjectTracking.Entry: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(sequence, isSingle, isIgnored, hasTarget, identity)
    row.write(overlap, distance, anyOverlap, confidence)
  }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), isSingle: row.read(), isIgnored: row.read(), hasTarget: row.read(),
      identity: row.read(), overlap: row.read(), distance: row.read(), anyOverlap: row.read(),
      confidence: row.read())
  }
}
