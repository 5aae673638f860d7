internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Records

/// Reads the frames of one run in their order, with what is right and wrong in each.
struct EntryReader {
  let opened: StoredRun.Opened
  private let dataset: DatasetReader
  private let detections: DetectionReader
  /// Position of the frame's whole time among the stages.
  private let total: Int?
  /// The slices that the run's record has.
  private let slices: Set<String>
  private let words = ExpressionClassification()
  /// Whether the run had rules of its own, which it does not store: then only words of the tracker are known.
  private let hasOwnRules: Bool
  /// What was read last, and of which sequence.
  private var earlier: (sequence: Int, prediction: FramePrediction)?

  init(_ run: StoredRun, _ opened: StoredRun.Opened, _ dataset: DatasetReader) {
    self.opened = opened
    self.dataset = dataset
    detections = DetectionReader(opened.tracker)
    total = opened.predictions.header.stages.firstIndex(of: PipelineStage.total.name)
    hasOwnRules = run.record.options[EvaluationPlan.expressionsOption] != nil
    slices = Set(run.record.measurements.compactMap(\.slice))
  }

  /// The next frames, which follow those that were read last.
  mutating func entries(in range: Range<Int>) throws -> [FrameEntry] {
    let (frames, labels) = (try dataset.frames(range), try dataset.faces(range))
    let contexts = try dataset.contexts(range)
    var entries: [FrameEntry] = []
    for (offset, given) in try opened.predictions.predictions(range).enumerated() {
      let frame = frames[offset]
      let sequence = dataset.sequence(frame.sequence)
      var entry = FrameEntry(
        frame: frame, video: sequence?.kind == .video ? sequence?.name : nil,
        labels: labels[offset], prediction: opened.tracker.counted(given))
      entry.isFrozen = opened.tracker.frozenFrames.contains(frame.index)
      if entry.video == nil || earlier?.sequence != frame.sequence { earlier = nil }
      try fill(
        &entry, context: contexts[offset], subject: sequence?.subject ?? "",
        earlier: earlier?.prediction)
      earlier = (frame.sequence, entry.prediction)
      entries.append(entry)
    }
    return entries
  }

  /// Fills in what is right and wrong in a frame.
  private func fill(
    _ entry: inout FrameEntry, context: FrameContext, subject: String,
    earlier: FramePrediction?
  ) throws {
    let (frame, labels, prediction) = (entry.frame, entry.labels, entry.prediction)
    let (tracker, isLabelled) = (opened.tracker, dataset.isLabelled)
    if let total, prediction.stageNanoseconds.indices.contains(total) {
      entry.milliseconds = prediction.stageNanoseconds[total].map { Double($0) / 1e6 }
    }
    entry.expressions = (
      labels.first.flatMap { words.word(of: $0) },
      prediction.faces.first.flatMap { face in
        hasOwnRules && face.expression == nil ? nil : words.word(of: face)
      }
    )
    guard let size = prediction.size else { return }
    let matching = try tracker.matching(frame, labels, prediction.faces)
    var detections = self.detections
    let found =
      isLabelled
      ? try detections.read(frame, size: size, labels: labels, prediction: prediction) : nil
    var slim = prediction
    slim.candidates = []
    let review = FrameReview(
      frame: frame, isVideo: entry.video != nil, labels: labels, prediction: slim,
      earlier: earlier, outcome: found?.outcome,
      matching: isLabelled && tracker.noFaces == nil ? matching : nil)
    if let found = review.evaluated ?? review.entry {
      entry.missed = found.missed
      entry.falseDetections = found.falseDetections
      entry.unmatched = found.falseFaces
      entry.errorCount = found.badness.errors
    }
    guard isLabelled else { return }
    entry.isUnlabelled = labels.areAbsent(inFrame: size)
    if let found {
      entry.kept = found.outcome.entries(of: found.kept)
      entry.ranked = try DetectionOutcome(
        frame: frame.index, labels: labels, detections: found.ranked
      ).entries(of: found.ranked)
      entry.labelledCount = found.outcome.labelled
    }
    if tracker.noPoints == nil {
      let labels = tracker.compared(labels)
      let pairs = try matching.paired(
        by: tracker.pairing, labels: labels, faces: prediction.faces, frame: frame.index)
      var accuracy = LandmarkAccuracy(scheme: tracker.scheme, keepsPoints: false)
      try accuracy.add(frame: frame.index, labels: labels, faces: prediction.faces, matching: pairs)
      entry.errors = accuracy.interocularErrors
    }
    let counted = matching.matches.map(\.label) + matching.missed
    let own =
      Slice.slices(of: context, subject: subject, video: entry.video)
      + counted.flatMap { Slice.slices(of: labels[$0]) }
    entry.slices = Set(own.map(\.name)).intersection(slices).sorted()
  }
}

extension DetectionOutcome {
  /// The detections with what they are on, in their own order.
  fileprivate func entries(of detections: [FaceDetection]) -> [FrameEntry.Detection] {
    let (hits, falseAlarms) = (Set(matches.map(\.detection)), Set(falsePositives))
    return detections.enumerated().map { index, detection in
      FrameEntry.Detection(
        score: detection.score,
        isTrue: hits.contains(index) ? true : falseAlarms.contains(index) ? false : nil)
    }
  }
}
