internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Records

/// Judges predictions against a dataset, frame by frame: who was found, how well, how steadily, how fast.
struct Scoring {
  private let tracker: JudgedTracker
  private let isLabelled: Bool
  private var detection: DetectionScoring
  private var landmarks: LandmarkAccuracy
  private var tracking = FaceTracking()
  private var falseTracks = FalseTracks()
  private var identities = IdentityTracking()
  private var singleObject = SingleObjectTracking()
  private var jitter = LandmarkJitter()
  private var labelledJitter = LabelledJitter()
  private var latency: LatencyScoring
  private var traits: TraitScoring
  private(set) var worst: WorstFrames
  /// The two frames before in the same sequence, later first, predictions without their candidates.
  private var earlierSights: (sequence: Int, sights: [LabelledJitter.Sight])?
  private var videoNames: [Int: String] = [:]
  private var brokenFrames = 0
  private var droppedFrames = 0
  private var resizedFrames = 0

  init(
    _ tracker: JudgedTracker, stages: [String], isLabelled: Bool, galleryCount: Int,
    rules: ExpressionRules?
  ) {
    self.tracker = tracker
    self.isLabelled = isLabelled
    detection = DetectionScoring(tracker)
    landmarks = LandmarkAccuracy(scheme: tracker.scheme)
    latency = LatencyScoring(stages: stages)
    traits = TraitScoring(tracker, isLabelled: isLabelled, rules: rules)
    worst = WorstFrames(limit: galleryCount)
  }

  /// Takes in one frame with its labels and what was predicted; frames come in order.
  mutating func add(
    _ frame: Frame, video: SequenceDescription?, labels: [FaceLabel],
    prediction given: FramePrediction
  ) throws {
    let prediction = tracker.counted(given)
    let isVideo = video != nil
    if let video { videoNames[frame.sequence] = video.name }
    var slim = prediction
    slim.candidates = []
    let matching = try FaceMatching(
      frame: frame.index, labels: labels, faces: prediction.faces)
    let before = earlierSights.flatMap { $0.sequence == frame.sequence ? $0.sights : nil } ?? []
    let sight = LabelledJitter.Sight(labels: labels, prediction: slim, matching: matching)
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
      frame, isVideo: isVideo, labels: labels, prediction: prediction, matching: matching)
    switch prediction.status {
    case .broken: brokenFrames += 1
    case .dropped: droppedFrames += 1
    case .analysed: break
    }
    guard let size = prediction.size else { return }
    if size != frame.size { resizedFrames += 1 }
    try latency.add(prediction)
    var outcome: DetectionOutcome?
    if isLabelled {
      outcome = try detection.add(frame, size: size, labels: labels, prediction: prediction)
      if tracker.noPoints == nil {
        try landmarks.add(
          frame: frame.index, labels: labels, faces: prediction.faces, matching: matching)
      }
    }
    let review = FrameReview(
      frame: frame, isVideo: isVideo, labels: labels, prediction: slim, earlier: earlier,
      outcome: outcome, matching: isLabelled && tracker.noFaces == nil ? matching : nil)
    if let entry = review.entry { worst.offer(entry) }
  }

  /// All figures, in the order of the catalogue; families that the dataset has nothing for are left out.
  func measurements() -> [Measurement] {
    var figures = judged(detection.measurements(), because: isLabelled ? nil : Self.noLabels)
    figures += judged(
      landmarks.summarize(), because: tracker.noPoints ?? (isLabelled ? nil : Self.noLabels))
    figures += judged(tracking.summarize(), because: tracker.noFaces)
    if !falseTracks.isEmpty { figures += falseTracks.summarize() }
    if identities.hasIdentities { figures += identities.summarize() }
    if singleObject.hasTargets { figures += singleObject.summarize() }
    figures += judged(jitter.summarize(), because: tracker.noPoints)
    if !labelledJitter.isEmpty { figures += labelledJitter.summarize() }
    figures += traits.measurements()
    figures += latency.latency.summarize()
    return figures.map {
      var measurement = $0
      if measurement.value != nil {
        measurement.interval = .none(
          "intervals come with the cluster bootstrap, which is not there yet")
      }
      return measurement
    }
  }

  private static let noLabels = "the dataset has no labels"

  private func judged(_ figures: [Measurement], because reason: String?) -> [Measurement] {
    reason.map { reason in figures.map { $0.undefined(reason) } } ?? figures
  }

  /// The curves, histograms and tables.
  func series() throws -> [Series] {
    var all: [Series?] = try isLabelled ? detection.series() : []
    if isLabelled, tracker.noPoints == nil {
      all += LandmarkNormalizer.allCases.map { landmarks.cumulativeErrors(by: $0) }
      all.append(landmarks.pointCurve())
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
    notes += traits.notes()
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
