package import FaceCore
internal import Platform
package import Records
internal import Statistics

/// How well faces are kept from frame to frame, over the video sequences of a dataset.
///
/// Needs no labels. In a dataset without them a frame is one occasion to have a face, and it is there if any face is
/// given out; what comes before the first face is no gap. In a labelled one every labelled face in a frame is an
/// occasion, and it is there if it has a prediction of IoU .50 or more (`FaceMatching`); a face is followed by its
/// identity, or else by its position among the labels; frames whose faces are not labelled, and sequences without a
/// labelled face, are no occasions. Where a tracker repeats its last values (`ScoredFrame.isFrozen`) no face is there.
/// Frames that were dropped or broken are no occasions. Stills do not count.
package struct FaceTracking: FrameMetric {
  /// One frame of a video, analysed or not.
  package struct Entry: Sendable, Hashable, SequenceEntry {
    package var sequence: Int
    var time: Int64
    var status: FramePrediction.Status
    var detectorRan: Bool
    var hasFaces: Bool
    var labelled: [LabelledFace: Bool]
    /// Whether the largest face is another than in the frame before; nil where neither frame has two or one has none.
    var isLargestOther: Bool? = nil
    /// Whether its faces are not labelled.
    var isUnlabelled = false
  }

  /// A labelled face within a sequence: who it is, or else where it stands among the labels.
  struct LabelledFace: Sendable, Hashable, Comparable {
    var identity: Int?
    var position: Int

    static func < (first: LabelledFace, second: LabelledFace) -> Bool {
      (first.identity ?? -1, first.position) < (second.identity ?? -1, second.position)
    }
  }

  /// So many frames without a face make a loss; a shorter stretch is only a gap.
  package let framesOfLoss: Int
  package var frames = FrameTable<Entry>()
  /// Whether the dataset has labels, so that a sequence without labelled faces has no occasion.
  package var isLabelled = false
  /// Whether the frames are of one clip with labelled faces, so that a stretch of it without any has its time too.
  private let isLabelledClip: Bool
  /// Losses in the videos that only sums are kept of, by the first frames of the videos.
  private var lossesOfVideos = FrameTable<[Loss]>()
  package var videos = FrameTable<VideoSums<Totals>>()

  /// Starts without frames; a loss is `framesOfLoss` frames or more, at least 1.
  package init(framesOfLoss: Int = 3, isLabelledClip: Bool = false) {
    self.framesOfLoss = max(1, framesOfLoss)
    self.isLabelledClip = isLabelledClip
  }

  /// Takes in one frame, analysed or not; a frame of a sequence of stills is left out, and a frozen one has no face.
  ///
  /// Timestamps must rise with the frames' indices within a sequence. Throws for a frame added before.
  package mutating func add(
    _ frame: Frame, isVideo: Bool, prediction: FramePrediction, labels: [FaceLabel],
    matching: FaceMatching, isFrozen: Bool = false, previous: FramePrediction? = nil
  ) throws(MetricError) {
    guard isVideo else { return }
    let found = Set(matching.matches.map(\.label))
    var labelled: [LabelledFace: Bool] = [:]
    for (position, label) in (found.union(matching.missed)).sorted().enumerated() {
      let identity = labels[label].identity
      var face = LabelledFace(identity: identity, position: identity == nil ? position : 0)
      while labelled[face] != nil { face.position += 1 }
      labelled[face] = !isFrozen && found.contains(label)
    }
    try add(
      Entry(
        sequence: frame.sequence, time: frame.timestampMicroseconds, status: prediction.status,
        detectorRan: prediction.detectorRan, hasFaces: !isFrozen && !prediction.faces.isEmpty,
        labelled: labelled, isLargestOther: Self.isLargestOther(prediction, previous),
        isUnlabelled: labels.leaveOut(frame.size)),
      for: frame.index)
  }

  /// By identities where the tracker gives them, else by an IoU of .50 or more with the face before.
  private static func isLargestOther(
    _ now: FramePrediction, _ before: FramePrediction?
  ) -> Bool? {
    func largest(_ faces: [FacePrediction]) -> FacePrediction? {
      faces.max { $0.box?.area ?? 0 < $1.box?.area ?? 0 }
    }
    guard let before, now.status == .analysed, before.status == .analysed,
      before.frame == now.frame - 1, max(now.faces.count, before.faces.count) > 1,
      let own = largest(now.faces), let earlier = largest(before.faces)
    else { return nil }
    if let identity = own.identity, let other = earlier.identity { return identity != other }
    guard let box = own.box, let other = earlier.box else { return nil }
    return box.iou(with: other) < 0.5
  }

  package static var table: String { "tracking" }

  package func check(_ other: FaceTracking) throws(MetricError) {
    guard framesOfLoss == other.framesOfLoss else {
      throw .lossesDiffer(framesOfLoss, other.framesOfLoss)
    }
  }

  /// A face that was not there for long enough.
  fileprivate struct Loss: Sendable, Hashable {
    var sequence: Int
    /// Nil for any face.
    var face: LabelledFace?
    var lost: Int
    var reacquired: Int?
    var microseconds: Int64
  }

  /// The losses of the frames of the table, in the order of sequences.
  private var losses: [Loss] {
    sequences().flatMap { sequence in
      sequence.gaps.filter { $0.gap.frames >= framesOfLoss }.map { loss in
        Loss(
          sequence: sequence.index, face: loss.face, lost: loss.gap.lost.frame,
          reacquired: loss.gap.reacquired?.frame, microseconds: loss.gap.microseconds)
      }
    }
  }

  private var allLosses: [Loss] {
    let all = lossesOfVideos.entries.flatMap { $0 } + losses
    return all.indices.sorted { (all[$0].sequence, $0) < (all[$1].sequence, $1) }.map { all[$0] }
  }

  package mutating func condense(_ video: Range<Int>) {
    var own = self
    own.frames = frames.drawn(by: FrameDraw(video), { _, _ in })
    let losses = own.losses
    if !losses.isEmpty { lossesOfVideos.append(losses, for: video.lowerBound) }
    condenseVideo(video)
  }

  package mutating func mergeRest(_ other: FaceTracking) throws(MetricError) {
    try lossesOfVideos.merge(other.lossesOfVideos, in: Self.table)
    try mergeVideos(other)
  }

  package mutating func removeRest() {
    lossesOfVideos = FrameTable()
    videos = FrameTable()
  }

  package var restByteCount: Int { lossesOfVideos.byteCount + videos.byteCount }

  /// Every frame of a sequence with the metrics that follow from it, in the order of sequences.
  func sequences() -> [TrackedSequence] {
    frames.sequences.map { index, keys, entries in
      TrackedSequence(
        index: index, frames: zip(keys, entries).map { ($0, $1) },
        isLabelled: isLabelled, isOfLabelledClip: isLabelledClip)
    }
  }
}

extension FaceTracking {
  /// Shares, losses, times and what the detector did.
  package static let definitions = [
    trackedShare, losses, lossesPerMinute, reacquireMedian, reacquire95, longestGap, detectorRate,
    droppedFrames, largestChanges,
  ]

  /// Occasions on which the face was there.
  package static let trackedShare = definition(
    "tracked_share", "Tracked share", .higher, in: .proportion,
    "analysed frames with a face given out over analysed frames; in labelled datasets labelled "
      + "faces with a prediction of IoU .50 or more over labelled faces; where the format marks no "
      + "losses, coefficients or a pose that stay the same to the last bit for more than 0.2 s are no "
      + "face; in [0, 1]")
  /// Losses in all sequences.
  package static let losses = definition(
    "losses", "Losses", .lower, unit: "losses",
    "stretches of k analysed frames or more (default 3) without a face after having had one; in "
      + "labelled datasets of a labelled face without a prediction of IoU .50 or more, over labelled frames; "
      + "undefined where no face was ever there")
  /// Losses over the time of the sequences.
  package static let lossesPerMinute = definition(
    "losses_per_minute", "Losses per minute", .lower, in: .rate, unit: "1/min",
    "tracking.losses over the minutes from first to last frame of each sequence that has a face, of labelled "
      + "sequences from first to last labelled frame and, where the video goes on, up to the distance of the last two "
      + "beyond it")
  /// Half of the losses are over sooner.
  package static let reacquireMedian = definition(
    "reacquire_ms.median", "Time to find a lost face again, median", .lower, unit: "ms",
    "time from the first frame of a loss to the next frame with the face, of losses that end; "
      + "nearest rank, undefined under 2 of them")
  /// 95 % of the losses are over sooner.
  package static let reacquire95 = definition(
    "reacquire_ms.p95", "Time to find a lost face again, 95th percentile", .lower, unit: "ms",
    "as tracking.reacquire_ms.median, 95th percentile, undefined under 20 of them")
  /// The longest stretch without the face, losses or not.
  package static let longestGap = definition(
    "longest_gap_ms", "Longest gap", .lower, unit: "ms",
    "longest time from the first frame without the face to the next with it, or to the last frame "
      + "where it does not come back; shorter stretches than a loss count, 0 without any")
  /// How often tracking had to fall back to the detector.
  package static let detectorRate = definition(
    "detector_rate", "Detector rate", .lower, in: .proportion,
    "analysed frames in which the detector ran, over analysed frames; in [0, 1]")
  /// Frames that live mode passed over.
  package static let droppedFrames = definition(
    "dropped_frames", "Dropped frames", .lower, unit: "frames",
    "frames that a newer one replaced in the queue of live mode")

  /// How often a program that follows the largest face changes to another.
  private static let largestChanges = definition(
    "largest_change_share", "Changes of the largest face", .lower, in: .proportion,
    "frames whose largest face is another than in the frame before, by the tracker's identity or else without an IoU "
      + "of .50 or more, over frames that have a face, as the one before, and two or more in either; in [0, 1]; "
      + "undefined without such frames")

  /// The metrics in the order of `definitions`; all are undefined without a video sequence.
  package func measurements(of sums: Totals) -> [Measurement] {
    let frames = sums.counts[.analysed] + sums.counts[.dropped]
    let (analysed, occasions) = (sums.counts[.analysed], sums.counts[.occasions])
    let minutes = Double(sums.counts[.microsecondsWithFace]) / 60e6
    let nothing =
      frames == 0 ? "no frame of a video sequence" : "no frame of a video sequence was analysed"
    let noFace =
      analysed == 0
      ? nothing
      : isLabelled || isLabelledClip
        ? "no face of a video sequence is labelled" : "no video sequence has a face"
    func metric(_ definition: MetricDefinition, _ value: Double) -> Measurement {
      definition.measurement(
        sums.counts[.sequencesWithFace] == 0 ? nil : value, n: occasions, else: noFace)
    }
    let times = sums.reacquired.sorted()
    return [
      Self.trackedShare.ratio(sums.counts[.found], of: occasions, else: noFace),
      metric(Self.losses, Double(sums.counts[.losses])),
      sums.counts[.sequencesWithFace] > 0 && minutes <= 0
        ? Self.lossesPerMinute.undefined("the timestamps span no time", n: occasions)
        : metric(Self.lossesPerMinute, Double(sums.counts[.losses]) / minutes),
      Self.reacquire(Self.reacquireMedian, 50, of: times),
      Self.reacquire(Self.reacquire95, 95, of: times),
      metric(Self.longestGap, Double(sums.longestGap) / 1000),
      Self.detectorRate.ratio(sums.counts[.detectorRuns], of: analysed, else: nothing),
      Self.droppedFrames.measurement(
        frames == 0 ? nil : Double(frames - analysed), n: frames, else: nothing),
      Self.largestChanges.ratio(
        sums.counts[.largestChanges], of: sums.counts[.largestCompared],
        else: analysed == 0 ? nothing : "no two frames on end have a face each and two in either"),
    ]
  }

  /// The longest losses (`tracking.losses`) in the order of the frames; nil for none.
  ///
  /// - Parameters:
  ///   - names: Name of a sequence by its index; the index itself where it has none.
  ///   - limit: The most rows.
  package func lossTable(names: [Int: String], limit: Int = 100) -> Series? {
    let losses = allLosses
    guard !losses.isEmpty, limit > 0 else { return nil }
    let longest = losses.indices.sorted {
      let (first, second) = (losses[$0].microseconds, losses[$1].microseconds)
      return first > second || (first == second && $0 < $1)
    }
    let rows = longest.prefix(limit).sorted().map { index -> [String] in
      let loss = losses[index]
      let face = loss.face.map { face in
        face.identity.map { "identity \($0)" } ?? "label \(face.position)"
      }
      return [
        names[loss.sequence] ?? "\(loss.sequence)", face ?? "any", "\(loss.lost)",
        loss.reacquired.map { "\($0)" } ?? "never",
        (Double(loss.microseconds) / 1000).shortText(significantDigits: 6),
      ]
    }
    let kept = rows.count < losses.count ? ", the \(rows.count) longest of \(losses.count)" : ""
    return Series(
      name: SeriesName.losses, title: "Losses" + kept,
      columns: ["sequence", "face", "frame lost", "frame re-acquired", "gap (ms)"], rows: rows)
  }

  private static func reacquire(
    _ definition: MetricDefinition, _ percent: Int, of times: [Int64]
  ) -> Measurement {
    let needs = NearestRank.samplesNeeded(forPercentile: percent)
    let time = times.count < needs ? nil : NearestRank.percentile(percent, ofSorted: times)
    return definition.measurement(
      time.map { Double($0) / 1000 }, n: times.count, needs: needs,
      else: times.isEmpty
        ? "no face was lost and found again"
        : "needs \(needs) losses that end, there are \(times.count)")
  }

  private static let definition = DefinitionGroup(
    prefix: "tracking.", ending: "; undefined without video sequences",
    source: "video sequences only; frames and their timestamps")
}

extension FaceTracking: AdditiveFamily {
  package static let requirements: MetricRequirements = [.faces]
  package static let metricsOfOrder: Set = [
    reacquireMedian.name, reacquire95.name, longestGap.name,
  ]

  package init(_ context: MetricContext) {
    self.init(isLabelledClip: context.isLabelledClip)
    isLabelled = context.isLabelled
  }

  package mutating func add(_ frame: ScoredFrame) throws(MetricError) {
    try add(
      frame.frame, isVideo: frame.isVideo, prediction: frame.prediction, labels: frame.labels,
      matching: frame.matching, isFrozen: frame.isFrozen,
      previous: frame.earlier.first?.prediction)
  }

  package func series(_ context: SeriesContext) -> [Series] {
    [lossTable(names: context.videoNames)].compactMap { $0 }
  }

  package static let presentation = MetricPresentation(
    sliced: [trackedShare.name, lossesPerMinute.name], extremes: [longestGap.name],
    needs: [.detectorRan: [detectorRate.name]],
    headlines: [
      .init(.tracking, [trackedShare.name, lossesPerMinute.name]),
      .init(.detectorRuns, [detectorRate.name], isCompared: false),
    ],
    aliases: [
      "tracked_share": trackedShare.name, "losses_per_minute": lossesPerMinute.name,
      "detector_rate": detectorRate.name,
    ])
}

extension FaceTracking.Loss: Packable {
  package func pack(into row: inout RowWriter) {
    row.write(sequence, face, lost, reacquired, microseconds)
  }

  package init(from row: inout RowReader) {
    self.init(
      sequence: row.read(), face: row.read(), lost: row.read(), reacquired: row.read(),
      microseconds: row.read())
  }
}
