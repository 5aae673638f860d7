internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Records
internal import Running

/// Scores predictions against a dataset, frame by frame, with every family of the catalogue.
struct Scoring: Sendable {
  private let tracker: PredictionOrigin
  private let isLabelled: Bool
  private var detections: DetectionReader
  private var scores: FamilyScores
  private var slices: SliceScoring
  /// Whether of a video that is complete only sums are kept where they do; a comparison needs its frames.
  private let condensesVideos: Bool
  /// The frames so far of the video that the last frame is of.
  private var openVideo: Range<Int>?
  /// Which frames are resampled together.
  private(set) var clusters: FrameClusters
  private(set) var worst: WorstFrames
  private var clips = ClipTable()
  /// The two frames before in the same sequence, later first, predictions without their candidates.
  private var earlierSights: (sequence: Int, sights: [LabelledJitter.Sight])?
  private var videoNames: [Int: String] = [:]
  private var brokenFrames = 0
  private var droppedFrames = 0
  /// The frames that were not analysed: broken ones and dropped ones.
  private(set) var skippedFrames = FrameRuns()
  private var pairCounts: [FaceMatching.Basis: Int] = [:]
  /// Missed faces that `FacePairing.Rule.nearest` would pair.
  private var pairableCount = 0
  /// Labelled faces without a position that share their frame.
  private var undecidedCount = 0
  private var resizedFrames = 0
  /// Frames whose faces are not labelled.
  private(set) var unlabelledFrames = 0

  init(
    _ tracker: PredictionOrigin, stages: [String], of dataset: DatasetReader, galleryCount: Int,
    rules: ExpressionRules?, attributes: AttributeRules = .none,
    clusters: FrameClusters = FrameClusters(),
    condensesVideos: Bool = false
  ) {
    // Stretches of a clip have parts of its frames.
    self.condensesVideos = condensesVideos && !clusters.isOfOneClip
    self.clusters = clusters
    self.tracker = tracker
    isLabelled = dataset.isLabelled
    detections = DetectionReader(tracker)
    var context = MetricContext(scheme: tracker.scheme)
    context.numFaces = tracker.settings.numFaces
    context.maxDetections = tracker.maxDetections
    context.rules = rules ?? .builtIn
    context.hasOwnRules = rules != nil
    context.attributes = attributes
    context.stages = stages
    context.labelAttributes = dataset.attributeNames
    context.facts = tracker.trackerFacts
    context.isLabelled = isLabelled
    context.isLabelledClip = clusters.isOfOneClip && dataset.faceCount > 0
    let absence = FamilyScores.Absence(
      labels: isLabelled ? nil : "the dataset has no labels", ranking: detections.noRanking,
      faces: tracker.noFaces, points: tracker.noPoints, times: tracker.noTimes)
    scores = FamilyScores(context, absence: absence)
    slices = SliceScoring(context, absence: absence)
    worst = WorstFrames(limit: galleryCount)
  }

  /// Takes in a later stretch of the dataset; no video is in both.
  mutating func merge(_ later: Scoring) throws(MetricError) {
    detections.merge(later.detections)
    try scores.merge(later.scores)
    if later.scores.absence.detections != nil || scores.absence.detections != nil {
      scores.absence.detections = detections.reason
    }
    try slices.merge(later.slices)
    clusters.merge(later.clusters)
    worst.merge(later.worst)
    clips.merge(later.clips)
    videoNames.merge(later.videoNames) { own, _ in own }
    brokenFrames += later.brokenFrames
    droppedFrames += later.droppedFrames
    skippedFrames.append(later.skippedFrames)
    resizedFrames += later.resizedFrames
    unlabelledFrames += later.unlabelledFrames
    pairCounts.merge(later.pairCounts, uniquingKeysWith: +)
    pairableCount += later.pairableCount
    undecidedCount += later.undecidedCount
  }

  /// Takes in one frame with its labels and what was predicted; frames come in order.
  mutating func add(
    _ frame: Frame, sequence: SequenceDescription?, context: FrameContext,
    labels givenLabels: [FaceLabel], prediction given: FramePrediction
  ) throws {
    if frame.sequence != earlierSights?.sequence { try condenseVideo() }
    let labels = tracker.compared(givenLabels)
    let prediction = tracker.counted(given)
    let isVideo = sequence?.kind == .video
    let subject = sequence?.subject ?? ""
    clusters.add(frame, of: sequence)
    if isVideo, let sequence {
      videoNames[frame.sequence] = sequence.name
      openVideo = (openVideo?.lowerBound ?? frame.index)..<frame.index + 1
    }
    let matching = try tracker.matching(frame, labels, prediction.faces)
    let pairs = try matching.paired(
      by: tracker.pairing, labels: labels, faces: prediction.faces, frame: frame.index)
    try count(pairs, matching, labels: labels, faces: prediction.faces, frame: frame.index)
    let before =
      isVideo
      ? earlierSights.flatMap { $0.sequence == frame.sequence ? $0.sights : nil } ?? [] : []
    var scored = ScoredFrame(
      frame, isVideo: isVideo, group: subject.isEmpty ? (isVideo ? sequence?.name : nil) : subject,
      labels: labels, given: given, prediction: prediction, matching: matching, pairs: pairs,
      earlier: before)
    unlabelledFrames += scored.isUnlabelled ? 1 : 0
    scored.isFrozen = tracker.frozenFrames.contains(frame.index)
    let sight = scored.sight
    earlierSights = (frame.sequence, [sight] + before.prefix(1))
    if isLabelled, let size = prediction.size {
      scored.detections = try detections.read(
        frame, size: size, labels: labels, prediction: prediction)
      scores.absence.detections = detections.reason
      if tracker.noPoints == nil, tracker.noFaces == nil {
        try scored.measureLandmarks(in: tracker.scheme)
      }
    }
    try scores.add(scored)
    switch prediction.status {
    case .broken: brokenFrames += 1
    case .dropped: droppedFrames += 1
    case .analysed: break
    }
    if prediction.status != .analysed { skippedFrames.append(frame.index) }
    guard let size = prediction.size else { return }
    if size != frame.size { resizedFrames += 1 }
    if isLabelled {
      try slices.add(
        scored,
        frameSlices: Slice.slices(
          of: context, subject: subject, video: isVideo ? sequence?.name : nil))
    }
    if isLabelled, tracker.noFaces == nil {
      clips.add(
        frame, clip: isVideo ? sequence?.name : nil, matching: matching,
        error: errors(inFrame: frame.index).nme)
    }
    let review = FrameReview(
      frame: frame, isVideo: isVideo, labels: labels, prediction: sight.prediction,
      earlier: before.first?.prediction, outcome: scored.detections?.outcome,
      matching: isLabelled && tracker.noFaces == nil ? matching : nil)
    if let entry = review.entry { worst.offer(entry) }
  }

  /// Keeps what is needed of the video that is complete with the last frame that was added.
  mutating func condenseVideo() throws(MetricError) {
    guard condensesVideos, let video = openVideo else { return }
    openVideo = nil
    try slices.condense(video, of: scores)
    scores.condense(video)
  }

  /// How many bytes what is kept for metrics takes.
  var byteCount: Int { scores.byteCount + slices.byteCount }

  private mutating func count(
    _ pairs: FaceMatching, _ matching: FaceMatching, labels: [FaceLabel], faces: [FacePrediction],
    frame: Int
  ) throws(MetricError) {
    for pair in pairs.matches { pairCounts[pair.basis, default: 0] += 1 }
    undecidedCount += pairs.undecided.count
    guard tracker.isForeign, tracker.pairing.rule == .overlap else { return }
    let near = try matching.paired(
      by: FacePairing(rule: .nearest), labels: labels, faces: faces, frame: frame)
    pairableCount += near.matches.count - matching.matches.count
  }

  /// All metrics by family, in the order of the catalogue.
  func groups() -> [MeasurementGroup] { scores.groups() }

  /// The metrics of the whole dataset.
  var wholeMetrics: [Measurement] { groups().flatMap(\.metrics).filter { $0.slice == nil } }

  /// How many frames are over a latency gate's limit; nil for a gate on something else.
  func count(beyondLimitOf gate: Gate) -> LimitCount? { scores.count(beyondLimitOf: gate) }

  /// The whole dataset, then its slices, ready to be resampled.
  func parts() -> [ScoredPart] {
    let whole = scores.prepared()
    return [ScoredPart(scores: whole)] + (isLabelled ? slices.parts(of: whole) : [])
  }

  /// What is right and wrong in a frame of the run, to be drawn.
  func review(
    _ frame: Frame, isVideo: Bool, labels: [FaceLabel], prediction: FramePrediction
  ) throws -> WorstFrames.Entry? {
    try FrameReview(
      frame: frame, isVideo: isVideo, labels: labels, prediction: prediction, earlier: nil,
      outcome: detections.outcome(frame, labels: labels, prediction: prediction),
      matching: tracker.matching(frame, labels, prediction.faces)
    ).evaluated
  }

  /// How many errors a frame has, and the mean NME of its found faces, nil without points.
  func errors(inFrame frame: Int) -> (count: Int, nme: Double?) { scores.errors(inFrame: frame) }

  /// The landmark errors of the labelled faces; nil where no family measures them.
  var landmarks: LandmarkAccuracy? { scores.landmarks }

  private var seriesContext: SeriesContext {
    var context = SeriesContext()
    let settings = tracker.settings
    context.videoNames = videoNames
    context.minScore = tracker.shown(settings.minFaceDetectionConfidence)
    let score = NumberText.text(settings.minFaceDetectionConfidence)
    context.operatingPoint =
      tracker.isForeign
      ? "score \(score)" : "score \(score), num-faces \(settings.numFaces)"
    context.numFaces = settings.numFaces
    context.maxDetections = tracker.maxDetections
    context.facts = tracker.trackerFacts
    return context
  }

  /// The curves, histograms and tables; `measurements` are those of the run.
  func series(_ measurements: [Measurement]) throws -> [Series] {
    var context = seriesContext
    for metric in measurements where metric.slice == nil {
      context.values[metric.name] = metric.value
    }
    return try scores.series(context) + [isLabelled ? detections.missTable : nil].compactMap { $0 }
      + clips.series
  }

  /// What a reader must know first.
  func notes() -> [String] {
    var notes = scores.notes(seriesContext)
    if !isLabelled {
      notes.append("The dataset has no labels: metrics that need them are undefined.")
    }
    if let note = tracker.pairing.note(pairCounts, pairable: pairableCount) { notes.append(note) }
    if let reason = tracker.noPositions {
      notes.append(
        "In \(pairCounts[.only] ?? 0) frames the only prediction is that of the only labelled face, as "
          + "\(reason): faces.* and tracking.* tell whether a face was given out, not where.")
    }
    if undecidedCount > 0 {
      let position =
        tracker.hasPositions
        ? "without a box or points share their frame with others, and faces were given out there"
        : "are in frames with several faces, labelled or given out"
      notes.append(
        "\(undecidedCount) labelled faces \(position): who is who is not known, so they count neither as "
          + "found nor as missed.")
    }
    if unlabelledFrames > 0 {
      notes.append(
        "\(unlabelledFrames) frames are not labelled, as an ignored region holds each of them: nothing in them is right "
          + "or wrong, and rates by image and minute, losses and gaps leave them out.")
    }
    notes += slices.notes()
    if brokenFrames > 0 {
      notes.append(
        brokenFrames == 1
          ? "1 broken image was skipped; no metric counts it."
          : "\(brokenFrames) broken images were skipped; no metric counts them.")
    }
    if droppedFrames > 0 {
      notes.append(
        "Live mode dropped \(droppedFrames) frames, which were not analysed before newer ones were due; "
          + "only tracking.dropped_frames counts them.")
    }
    if resizedFrames > 0 {
      notes.append(
        tracker.isForeign
          ? "\(resizedFrames) of the predictions state another size of their image than images/size. Where 'facegauge "
            + "validate' finds no such image in the dataset, the predictions may be for other pixels."
          : "\(resizedFrames) of the images differ in size from images/size; their labels may be for "
            + "other pixels ('facegauge validate' lists these images).")
    }
    return notes
  }
}
