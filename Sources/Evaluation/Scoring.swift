internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Records

/// Judges predictions against a dataset, frame by frame: who was found, how well, how steadily, how fast.
struct Scoring: Sendable {
  private let tracker: JudgedTracker
  private let isLabelled: Bool
  private var detection: DetectionScoring
  private var acquisition = FaceAcquisition()
  private var givenFaces = FaceOperatingPoint()
  private var presence = PresenceReliability()
  private var landmarks: LandmarkAccuracy
  private var regression: LandmarkRegression
  private var visibility = LandmarkVisibility()
  private var tracking = FaceTracking()
  private var falseTracks = FalseTracks()
  private var identities = IdentityTracking()
  private var singleObject = SingleObjectTracking()
  private var jitter = LandmarkJitter()
  private var labelledJitter = LabelledJitter()
  private var latency: LatencyScoring
  private var traits: TraitScoring
  private var slices: SliceScoring
  /// Which frames are resampled together.
  private(set) var clusters: FrameClusters
  private(set) var worst: WorstFrames
  /// The two frames before in the same sequence, later first, predictions without their candidates.
  private var earlierSights: (sequence: Int, sights: [LabelledJitter.Sight])?
  private var videoNames: [Int: String] = [:]
  private var brokenFrames = 0
  private var droppedFrames = 0
  private var pairCounts: [FaceMatching.Basis: Int] = [:]
  /// Missed faces that `FacePairing.Rule.nearest` would pair.
  private var pairableCount = 0
  private var resizedFrames = 0

  init(
    _ tracker: JudgedTracker, stages: [String], isLabelled: Bool, galleryCount: Int,
    rules: ExpressionRules?, photos: [Int: Int] = [:]
  ) {
    clusters = FrameClusters(photos: photos)
    self.tracker = tracker
    self.isLabelled = isLabelled
    detection = DetectionScoring(tracker)
    landmarks = LandmarkAccuracy(scheme: tracker.scheme)
    regression = LandmarkRegression(scheme: tracker.scheme)
    latency = LatencyScoring(stages: stages)
    traits = TraitScoring(tracker, isLabelled: isLabelled, rules: rules)
    slices = SliceScoring(tracker, rules: rules ?? .builtIn)
    worst = WorstFrames(limit: galleryCount)
  }

  /// Takes in one frame with its labels and what was predicted; frames come in order.
  mutating func add(
    _ frame: Frame, sequence: SequenceDescription?, context: FrameContext, labels: [FaceLabel],
    prediction given: FramePrediction
  ) throws {
    let prediction = tracker.counted(given)
    let isVideo = sequence?.kind == .video
    let subject = sequence?.subject ?? ""
    clusters.add(frame.index, sequence: frame.sequence, subject: subject, isVideo: isVideo)
    if isVideo, let sequence { videoNames[frame.sequence] = sequence.name }
    var slim = prediction
    slim.candidates = []
    let matching = try FaceMatching(
      frame: frame.index, labels: labels, faces: prediction.faces)
    let pairs = matching.paired(by: tracker.pairing, labels: labels, faces: prediction.faces)
    for pair in pairs.matches { pairCounts[pair.basis, default: 0] += 1 }
    if tracker.isForeign, tracker.pairing.rule == .overlap {
      let near = matching.paired(
        by: FacePairing(rule: .nearest), labels: labels, faces: prediction.faces)
      pairableCount += near.matches.count - matching.matches.count
    }
    let before = earlierSights.flatMap { $0.sequence == frame.sequence ? $0.sights : nil } ?? []
    let sight = LabelledJitter.Sight(labels: labels, prediction: slim, matching: pairs)
    earlierSights = (frame.sequence, [sight] + before.prefix(1))
    let earlier = before.first?.prediction
    if tracker.noFaces == nil {
      try tracking.add(
        frame, isVideo: isVideo, prediction: prediction, labels: labels, matching: matching)
      if isLabelled {
        try falseTracks.add(frame, isVideo: isVideo, prediction: prediction, matching: matching)
        try identities.add(
          frame, isVideo: isVideo, prediction: prediction, labels: labels, matching: matching)
        try singleObject.add(
          frame, isVideo: isVideo, status: prediction.status, labels: labels,
          faces: prediction.faces, all: given.faces)
      }
    }
    if tracker.noPoints == nil {
      try jitter.add(
        frame, isVideo: isVideo, prediction: slim, previous: earlier,
        beforePrevious: before.last.flatMap { before.count == 2 ? $0.prediction : nil })
      if isLabelled {
        try labelledJitter.add(frame, isVideo: isVideo, sight: sight, previous: before.first)
      }
    }
    try traits.add(
      frame, isVideo: isVideo, labels: labels, prediction: prediction, matching: pairs)
    switch prediction.status {
    case .broken: brokenFrames += 1
    case .dropped: droppedFrames += 1
    case .analysed: break
    }
    guard let size = prediction.size else { return }
    if size != frame.size { resizedFrames += 1 }
    try latency.add(prediction, saysDetectorRan: tracker.says.contains(.detectorRan))
    var outcome: DetectionOutcome?
    if isLabelled {
      outcome = try detection.add(frame, size: size, labels: labels, prediction: prediction)
      if tracker.noPoints == nil {
        try landmarks.add(
          frame: frame.index, labels: labels, faces: prediction.faces, matching: pairs)
        try visibility.add(
          frame: frame.index, labels: labels, faces: prediction.faces, matching: pairs)
        try regression.add(
          frame, video: subject.isEmpty ? (isVideo ? sequence?.name : nil) : subject,
          labels: labels, faces: prediction.faces, matching: pairs)
      }
      if tracker.noFaces == nil {
        try acquisition.add(frame: frame.index, matching: matching)
        try givenFaces.add(frame: frame.index, faces: prediction.faces, matching: matching)
        try presence.add(frame: frame.index, labels: labels, prediction: prediction)
      }
      try slices.add(
        frame.index, labels: labels, faces: prediction.faces, matching: matching,
        pairs: pairs, outcome: outcome,
        frameSlices: Slice.slices(ofFrame: context.attributes, subject: subject))
    }
    let review = FrameReview(
      frame: frame, isVideo: isVideo, labels: labels, prediction: slim, earlier: earlier,
      outcome: outcome, matching: isLabelled && tracker.noFaces == nil ? matching : nil)
    if let entry = review.entry { worst.offer(entry) }
  }

  /// All figures, in the order of the catalogue; families that the dataset has nothing for are left out.
  func groups() -> [FigureGroup] {
    let noLabels = isLabelled ? nil : Self.noLabels
    var groups = detection.groups().map { $0.judged(because: noLabels) }
    groups.append(FigureGroup(acquisition).judged(because: tracker.noFaces ?? noLabels))
    groups.append(FigureGroup(givenFaces).judged(because: tracker.noFaces ?? noLabels))
    groups.append(FigureGroup(landmarks).judged(because: tracker.noPoints ?? noLabels))
    if !visibility.isEmpty { groups.append(FigureGroup(visibility)) }
    if !presence.isEmpty { groups.append(FigureGroup(presence)) }
    if !regression.isEmpty { groups.append(FigureGroup(regression)) }
    groups.append(
      FigureGroup(tracking).judged(because: tracker.noFaces)
        .without(
          tracker.says.contains(.detectorRan) ? [] : [FaceTracking.detectorRate],
          because: "the tracker does not say in which frames its detector ran"))
    if !falseTracks.isEmpty { groups.append(FigureGroup(falseTracks)) }
    if identities.hasIdentities { groups.append(FigureGroup(identities)) }
    if singleObject.hasTargets { groups.append(FigureGroup(singleObject)) }
    groups.append(
      FigureGroup(jitter).judged(because: tracker.noPoints)
        .without(
          tracker.says.contains(.unsmoothed) ? [] : LandmarkJitter.ofUnsmoothed,
          because: "the tracker does not give its points before smoothing"))
    if !labelledJitter.isEmpty { groups.append(FigureGroup(labelledJitter)) }
    groups += traits.groups()
    groups.append(
      FigureGroup(latency.latency.summarize(), frames: latency.latency.countedFrames))
    return groups
  }

  /// The interval of a percentile of these latencies; nil for other figures, which are resampled.
  func interval(of figure: Measurement) -> Interval? { latency.latency.interval(of: figure) }

  /// How many frames are over a latency gate's limit; nil for a gate on something else.
  func count(beyondLimitOf gate: Gate) -> LimitCount? {
    latency.latency.count(beyondLimitOf: gate)
  }

  /// The whole dataset, then its slices; landmarks are fitted to all labels once, before any draw.
  func parts() -> [ScoredPart] {
    var whole = self
    whole.regression.fit()
    return [ScoredPart(frames: whole, slice: nil)] + (isLabelled ? slices.parts(of: whole) : [])
  }

  /// What is right and wrong in a frame of the run, to be drawn.
  func review(
    _ frame: Frame, isVideo: Bool, labels: [FaceLabel], prediction: FramePrediction
  ) throws -> WorstFrames.Entry? {
    try FrameReview(
      frame: frame, isVideo: isVideo, labels: labels, prediction: prediction, earlier: nil,
      outcome: detection.outcome(frame, labels: labels, prediction: prediction),
      matching: FaceMatching(frame: frame.index, labels: labels, faces: prediction.faces)
    ).judged
  }

  /// How many errors a frame has, and the mean NME of its found faces, nil without points.
  func errors(inFrame frame: Int) -> (count: Int, nme: Double?) {
    let count = detection.errors(inFrame: frame) ?? acquisition.misses(inFrame: frame) ?? 0
    return (count, landmarks.meanError(ofFrame: frame))
  }

  /// Keeps the frames that a draw takes; slices, curves and notes stay those of all frames.
  mutating func draw(_ draw: FrameDraw) {
    detection.draw(draw)
    acquisition.draw(draw)
    givenFaces.draw(draw)
    presence.draw(draw)
    landmarks.draw(draw)
    regression.draw(draw)
    visibility.draw(draw)
    tracking.draw(draw)
    falseTracks.draw(draw)
    identities.draw(draw)
    singleObject.draw(draw)
    jitter.draw(draw)
    labelledJitter.draw(draw)
    latency.latency.draw(draw)
    traits.draw(draw)
  }

  /// Swaps the chosen frames with another run's on the same dataset.
  mutating func exchange(with other: inout Scoring, where isChosen: (Int) -> Bool) {
    detection.exchange(with: &other.detection, where: isChosen)
    acquisition.exchange(with: &other.acquisition, where: isChosen)
    givenFaces.exchange(with: &other.givenFaces, where: isChosen)
    presence.exchange(with: &other.presence, where: isChosen)
    landmarks.exchange(with: &other.landmarks, where: isChosen)
    regression.exchange(with: &other.regression, where: isChosen)
    visibility.exchange(with: &other.visibility, where: isChosen)
    tracking.exchange(with: &other.tracking, where: isChosen)
    falseTracks.exchange(with: &other.falseTracks, where: isChosen)
    identities.exchange(with: &other.identities, where: isChosen)
    singleObject.exchange(with: &other.singleObject, where: isChosen)
    jitter.exchange(with: &other.jitter, where: isChosen)
    labelledJitter.exchange(with: &other.labelledJitter, where: isChosen)
    latency.latency.exchange(with: &other.latency.latency, where: isChosen)
    traits.exchange(with: &other.traits, where: isChosen)
  }

  private static let noLabels = "the dataset has no labels"

  /// The curves, histograms and tables.
  func series() throws -> [Series] {
    var all: [Series?] = try isLabelled ? detection.series() : []
    if isLabelled, tracker.noPoints == nil {
      all += LandmarkNormalizer.allCases.map { landmarks.cumulativeErrors(by: $0) }
      all += [landmarks.pointCurve(), regression.comparison()]
    }
    all += traits.series(names: videoNames)
    all.append(tracking.lossTable(names: videoNames))
    all.append(latency.latency.histogram(stage: "total"))
    return all.compactMap { $0 }
  }

  /// What a reader must know first.
  func notes() -> [String] {
    var notes = isLabelled ? detection.notes() : []
    if !isLabelled {
      notes.append("The dataset has no labels: what needs them is undefined.")
    }
    if let stray = presence.strayScore {
      notes.append(
        "The tracker's scores are no probabilities (\(stray) is outside 0 to 1): they rank faces, "
          + "and metrics of calibration are undefined. Faces with a score under "
          + "\(tracker.settings.minFaceDetectionConfidence) count as not found "
          + "(--min-face-detection-confidence takes any number for such a tracker).")
    }
    if let note = tracker.pairing.note(pairCounts, pairable: pairableCount) { notes.append(note) }
    notes += regression.notes() + traits.notes()
    notes += slices.notes()
    if brokenFrames > 0 {
      notes.append(
        brokenFrames == 1
          ? "1 broken picture was skipped; no figure counts it."
          : "\(brokenFrames) broken pictures were skipped; no figure counts them.")
    }
    if droppedFrames > 0 {
      notes.append(
        "Live mode dropped \(droppedFrames) frames because newer ones had come; only "
          + "tracking.dropped_frames counts them.")
    }
    if resizedFrames > 0 {
      notes.append(
        "\(resizedFrames) of the pictures have another size than images/size says; their labels "
          + "may be for other pixels ('facegauge validate' lists them).")
    }
    return notes
  }
}
