internal import Datasets
internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Records

/// Judges predictions against a dataset, frame by frame: who was found, how well, how steadily, how fast.
struct Scoring {
  private let plan: EvaluationPlan
  private let isLabelled: Bool
  /// Why there are no faces behind the detector; nil where there are.
  private let noLandmarks: String?
  private var detection: DetectionScoring
  private var landmarks = LandmarkAccuracy(scheme: .mediapipe478)
  private var tracking = FaceTracking()
  private var jitter = LandmarkJitter()
  private var latency: LatencyScoring
  private(set) var worst: WorstFrames
  /// The prediction of the frame before in the same sequence, without its candidates.
  private var previous: (sequence: Int, prediction: FramePrediction)?
  private var videoNames: [Int: String] = [:]
  private var brokenFrames = 0
  private var droppedFrames = 0
  private var resizedFrames = 0

  init(
    plan: EvaluationPlan, nets: FaceLandmarkerNets, stages: [String], isLabelled: Bool
  ) {
    self.plan = plan
    self.isLabelled = isLabelled
    noLandmarks = nets.absent.first { $0.stage == "landmarks" }?.reason
    detection = DetectionScoring(
      plan: plan, suppression: plan.settings.suppressionThreshold(with: nets.landmarks))
    latency = LatencyScoring(stages: stages)
    worst = WorstFrames(limit: plan.galleryCount)
  }

  /// Takes in one frame with its labels and what was predicted; frames come in order.
  mutating func add(
    _ frame: Frame, video: SequenceDescription?, labels: [FaceLabel], prediction: FramePrediction
  ) throws {
    let isVideo = video != nil
    if let video { videoNames[frame.sequence] = video.name }
    var slim = prediction
    slim.candidates = []
    let earlier = previous.flatMap { $0.sequence == frame.sequence ? $0.prediction : nil }
    previous = (frame.sequence, slim)
    let matching = try FaceMatching(
      frame: frame.index, labels: labels, faces: prediction.faces)
    if noLandmarks == nil {
      try tracking.add(
        frame, isVideo: isVideo, prediction: prediction, labels: labels, matching: matching)
      try jitter.add(frame, isVideo: isVideo, prediction: slim, previous: earlier)
    }
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
      if noLandmarks == nil {
        try landmarks.add(
          frame: frame.index, labels: labels, faces: prediction.faces, matching: matching)
      }
    }
    let review = FrameReview(
      frame: frame, isVideo: isVideo, labels: labels, prediction: slim, earlier: earlier,
      outcome: outcome, matching: isLabelled && noLandmarks == nil ? matching : nil)
    if let entry = review.entry { worst.offer(entry) }
  }

  /// All figures, in the order of the catalogue.
  func measurements() -> [Measurement] {
    var figures = judged(detection.measurements(), because: isLabelled ? nil : Self.noLabels)
    figures += judged(
      landmarks.summarize(), because: noLandmarks ?? (isLabelled ? nil : Self.noLabels))
    figures += judged(tracking.summarize() + jitter.summarize(), because: noLandmarks)
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
    if isLabelled, noLandmarks == nil {
      all += LandmarkNormalizer.allCases.map { landmarks.cumulativeErrors(by: $0) }
      all.append(landmarks.pointCurve())
    }
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
    if plan.jobs > 1 {
      notes.append(
        "Latency was measured with \(plan.jobs) frames at once: the workers slow each other down.")
    }
    return notes
  }
}
