internal import Calibration
internal import Datasets
internal import FaceCore
internal import Metrics
internal import Scoring

/// The scored cases and pairs of coefficients that a run's predictions come to.
struct CalibrationCases {
  private let tracker: PredictionOrigin
  private let isLabelled: Bool
  private let recordings: ReferenceRecordings?
  private let prompts: PromptSchedule?
  private var detections: DetectionReader
  private(set) var detection = RankedDetections()
  private(set) var presence = PresenceReliability()
  private(set) var expressions: ExpressionAccuracy
  private(set) var clusters: FrameClusters
  private(set) var pairs: [BlendshapePair] = []
  /// The faces of prompts.
  private(set) var prompted = PromptedFaces()
  private var starts: [Int: Int64] = [:]
  /// First and last moment of each video, and its frames; nil where some frame is a still.
  private var lengths: [Int: VideoLength]? = [:]

  private struct VideoLength {
    var cluster: Int
    var first, last: Int64
    /// Its frames, and those of them that were analysed and whose labels are known.
    var frames = 0, evaluated = 0

    /// Takes in the moment of one more frame.
    mutating func take(_ moment: Int64, isEvaluated: Bool) {
      frames += 1
      evaluated += isEvaluated ? 1 : 0
      last = max(last, moment)
    }
  }

  init(
    _ tracker: PredictionOrigin, isLabelled: Bool, rules: ExpressionRules,
    recordings: ReferenceRecordings?, prompts: PromptSchedule?, clusters: FrameClusters
  ) {
    self.clusters = clusters
    self.tracker = tracker
    self.isLabelled = isLabelled
    self.recordings = recordings
    self.prompts = prompts
    detections = DetectionReader(tracker)
    expressions = ExpressionAccuracy(rules: rules)
  }

  /// Takes in one frame, its blendshapes corrected; frames come in order.
  mutating func add(
    _ frame: Frame, sequence: SequenceDescription?, labels: [FaceLabel],
    prediction given: FramePrediction
  ) throws {
    let prediction = tracker.counted(given)
    let subject = sequence?.subject ?? ""
    clusters.add(frame, of: sequence)
    if sequence?.kind == .video {
      let now = frame.timestampMicroseconds
      let isEvaluated = prediction.status == .analysed && !labels.leaveOut(frame.size)
      lengths?[
        frame.sequence,
        default: VideoLength(
          cluster: clusters.cluster(of: frame.index) ?? 0, first: now, last: now)
      ].take(now, isEvaluated: isEvaluated)
    } else {
      lengths = nil
    }
    if prompts != nil, starts[frame.sequence] == nil {
      starts[frame.sequence] = frame.timestampMicroseconds
    }
    guard let size = prediction.size else { return }
    let facts = tracker.trackerFacts
    if isLabelled, facts.contains(.scores),
      let found = try detections.read(frame, size: size, labels: labels, prediction: prediction)
    {
      try detection.add(
        frame: frame.index, labels: labels, detections: found.ranked, kept: found.keptRanked)
    }
    let matching = try tracker.matching(frame, labels, prediction.faces)
    if isLabelled, tracker.noFaces == nil {
      if facts.contains(.presences) {
        try presence.add(
          frame: frame.index, labels: labels, prediction: prediction, matching: matching)
      }
      try expressions.add(
        frame: frame.index, labels: labels, faces: prediction.faces, matching: matching)
    }
    if let prompts {
      addPrompted(frame, sequence, prediction.faces, prompts)
      return
    }
    let cluster = clusters.cluster(of: frame.index) ?? 0
    for (labelled, face) in LabelledCoefficients(recordings: recordings).pairs(
      frame, labels, prediction.faces, matching)
    {
      guard let predicted = face.blendshapes,
        let pair = BlendshapePair(
          labelled: labelled, predicted: predicted, cluster: cluster, subject: subject)
      else { continue }
      pairs.append(pair)
    }
  }

  /// Pairs the first face of a frame of a video with what is asked for at that moment.
  private mutating func addPrompted(
    _ frame: Frame, _ sequence: SequenceDescription?, _ faces: [FacePrediction],
    _ prompts: PromptSchedule
  ) {
    guard let sequence, sequence.kind == .video, let start = starts[frame.sequence],
      let face = faces.first, let predicted = face.blendshapes,
      let moment = prompts.moment(
        second: Double(frame.timestampMicroseconds - start) / 1e6, ofVideo: sequence.name)
    else { return }
    let repetition = prompted.add(
      face, at: moment, video: frame.sequence, name: sequence.name, subject: sequence.subject)
    if let pair = BlendshapePair(
      labelled: moment.prompt.coefficients, predicted: predicted, cluster: repetition,
      subject: sequence.subject)
    {
      pairs.append(pair)
    }
  }

  /// Why nothing is known of detections; nil where it is.
  var noDetections: String? { detections.reason }

  /// Detections by score, and labelled faces that none of them finds.
  var detectionsAndMisses: [ScoredCase] {
    detection.outcomesAndMisses.map {
      scored($0) ?? .missed(weight: $0.share, cluster: cluster(of: $0.frame))
    }
  }

  /// Minutes of analysed frames whose labels are known, by cluster, each as long as the mean interval of its video.
  ///
  /// Nil where some frames are stills, and where a video has one frame.
  var minutes: [Int: Double]? {
    guard let lengths, !lengths.isEmpty else { return nil }
    var minutes: [Int: Double] = [:]
    // A cluster may have several videos: their order decides the last digits of the sum.
    for (_, length) in lengths.sorted(by: { $0.key < $1.key }) {
      guard length.frames > 1 else { return nil }
      let steps = Double(length.frames - 1)
      minutes[length.cluster, default: 0] +=
        Double(length.last - length.first) * Double(length.evaluated) / steps / 60e6
    }
    return minutes
  }

  /// The cases of detections or presences.
  func cases(_ outcomes: [ScoredOutcome]) -> [ScoredCase] { outcomes.compactMap(scored) }

  private func scored(_ outcome: ScoredOutcome) -> ScoredCase? {
    outcome.score.map {
      ScoredCase(score: $0, share: outcome.share, cluster: cluster(of: outcome.frame))
    }
  }

  func cluster(of frame: Int) -> Int { clusters.cluster(of: frame) ?? 0 }
}
