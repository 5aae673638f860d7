internal import Datasets
internal import FaceCore
internal import Metrics
internal import Records

/// Collects what one setting does over a video, or over a still.
struct SequenceTally: Sendable {
  private var tally = SweepCounts()
  private var tracking: FaceTracking?
  private var jitter = LandmarkJitter()
  /// The two frames before, later first.
  private var earlier: [FramePrediction] = []
  /// Analysed frames of a video whose labels are known.
  private var scoredOfVideo = 0
  /// The frames with errors.
  private(set) var wrong: [WrongFrames.Entry] = []
  /// Decisions on expressions, by position of their rules; empty where none are swept.
  private var expressions: [ExpressionAccuracy] = []
  /// By kind, whether faces or detections with it were right.
  private var confidences = [ReliabilitySums(), ReliabilitySums()]
  /// The families whose metrics objectives name; empty before the first frame.
  private var families: [any AdditiveFamily] = []
  /// The two frames before as families see them, later first.
  private var sights: [LabelledJitter.Sight] = []
  /// The frames that begin a stretch of a clip that is cut, each with the sums of all frames before it.
  private var cuts: [(frame: Int, sums: [SweepCounts])] = []

  /// What a setting's faces are evaluated by.
  struct Evaluate {
    let scheme: LandmarkScheme
    let isLabelled: Bool
    /// Whether faces are what the detector found, without a landmark model.
    let isDetectorOnly: Bool
    /// Whether faces have points.
    var hasPoints = true
    /// Whether faces have boxes or points.
    var hasPositions = true
    /// How labelled faces and predictions become the pairs whose landmarks and attributes are compared.
    var pairing = FacePairing.overlap
    /// What the predictions contain.
    var facts = Set(TrackerFact.allCases)
    /// Frames that count as lost though they have a face, whose values are those of frames before.
    var frozenFrames: Set<Int> = []
    /// The rules of expressions that settings differ in; nil where no threshold of theirs is swept.
    var expressions: SweptExpressions?
    /// Which sums there are.
    var layout = SweepCounts.Layout()
    /// Whether the frames are of one clip with labelled faces, of which a stretch may have none.
    var isLabelledClip = false

    /// What families of metrics are told before the first frame.
    var context: MetricContext {
      var context = MetricContext(scheme: scheme)
      context.isLabelled = isLabelled
      context.isLabelledClip = isLabelledClip
      return context
    }
  }

  /// Takes in the next frame.
  mutating func add(
    _ frame: Frame, isVideo: Bool, labels: [FaceLabel], prediction: FramePrediction, reads: Int,
    by evaluate: Evaluate
  ) throws {
    if tracking == nil { tracking = FaceTracking(evaluate.context) }
    guard prediction.status == .analysed else {
      let matching = try FaceMatching(frame: frame.index, labels: labels, faces: [])
      try tracking?.add(
        frame, isVideo: isVideo, prediction: prediction, labels: labels, matching: matching)
      try addToFamilies(frame, isVideo, labels, prediction, matching, evaluate)
      earlier = [prediction] + earlier.prefix(1)
      return
    }
    let before = errors
    defer {
      let added = Int(errors - before)
      if added > 0 { wrong.append(WrongFrames.Entry(frame: frame.index, errors: added)) }
    }
    tally[.analysed] += 1
    tally[.reads] += Double(reads)
    if evaluate.isLabelled, !labels.leaveOut(frame.size) {
      tally[.evaluated] += 1
      if isVideo { scoredOfVideo += 1 }
    }
    tally[.detectorRuns] += prediction.detectorRan ? 1 : 0
    if isVideo {
      tally[.analysedOfVideos] += 1
      tally[.detectorRunsOfVideos] += prediction.detectorRan ? 1 : 0
    }
    if evaluate.isDetectorOnly {
      tally[.withFace] += prediction.detections.isEmpty ? 0 : 1
      if evaluate.isLabelled {
        try addDetections(of: prediction, frame: frame, labels: labels, isVideo: isVideo)
      }
      return
    }
    tally[.withFace] += prediction.faces.isEmpty ? 0 : 1
    let matching = try FaceMatching(
      frame: frame.index, labels: labels, faces: prediction.faces,
      facesHavePositions: evaluate.hasPositions)
    if evaluate.isLabelled {
      try addFaces(prediction, matching, frame, labels, evaluate)
      if isVideo { tally[.clipFalsePositives] += Double(matching.unmatched.count) }
    }
    try addToFamilies(frame, isVideo, labels, prediction, matching, evaluate)
    guard isVideo else { return }
    try tracking?.add(
      frame, isVideo: true, prediction: prediction, labels: labels, matching: matching,
      isFrozen: evaluate.frozenFrames.contains(frame.index))
    try jitter.add(
      frame, isVideo: true, prediction: prediction, previous: earlier.first,
      beforePrevious: earlier.count == 2 ? earlier[1] : nil)
    earlier = [prediction] + earlier.prefix(1)
  }

  /// Missed faces and false positives so far.
  private var errors: Double { tally[.labelled] - tally[.found] + tally[.falsePositives] }

  /// Takes the frame into the families whose metrics objectives name.
  private mutating func addToFamilies(
    _ frame: Frame, _ isVideo: Bool, _ labels: [FaceLabel], _ prediction: FramePrediction,
    _ matching: FaceMatching, _ evaluate: Evaluate
  ) throws {
    guard !evaluate.layout.families.isEmpty, !evaluate.isDetectorOnly else { return }
    if families.isEmpty {
      families = evaluate.layout.families.map { type(of: $0).init(evaluate.context) }
    }
    var scored = ScoredFrame(
      frame, isVideo: isVideo, group: nil, labels: labels, given: prediction,
      prediction: prediction, matching: matching,
      pairs: try matching.paired(
        by: evaluate.pairing, labels: labels, faces: prediction.faces, frame: frame.index),
      earlier: sights)
    scored.isFrozen = evaluate.frozenFrames.contains(frame.index)
    var lacking: MetricRequirements = []
    if !evaluate.isLabelled { lacking.insert(.labels) }
    if !evaluate.hasPoints { lacking.insert(.points) }
    if prediction.size == nil { lacking.insert(.analysedFrames) }
    for index in families.indices
    where type(of: families[index]).requirements.isDisjoint(with: lacking)
      && scored.counts(for: type(of: families[index]).requirements)
    {
      try families[index].add(scored)
    }
    if isVideo { sights = [scored.sight] + sights.prefix(1) }
  }

  /// Notes whether faces or detections with a confidence in [0, 1] were right, and that there are others.
  private mutating func note(_ confidence: Float, isRight: Bool, as kind: SweepCounts.Confidence) {
    guard let outcome = ConfidenceOutcome(Double(confidence), isTrue: isRight) else {
      if !confidence.isNaN { tally[kind.strays] += 1 }
      return
    }
    confidences[kind.rawValue].add(outcome)
  }

  private mutating func addFaces(
    _ prediction: FramePrediction, _ matching: FaceMatching, _ frame: Frame,
    _ labels: [FaceLabel], _ evaluate: Evaluate
  ) throws {
    tally[.labelled] += Double(matching.labelled)
    tally[.found] += Double(matching.matches.count)
    tally[.falsePositives] += Double(matching.unmatched.count)
    let right = Set(matching.matches.map(\.face))
    for face in right.sorted() + matching.unmatched {
      let given = prediction.faces[face]
      let isRight = right.contains(face)
      if evaluate.facts.contains(.scores), let score = given.detectionScore {
        note(score, isRight: isRight, as: .detection)
      }
      if evaluate.facts.contains(.presences), let presence = given.presence {
        note(presence, isRight: isRight, as: .presence)
      }
    }
    let pairs = try matching.paired(
      by: evaluate.pairing, labels: labels, faces: prediction.faces, frame: frame.index)
    if let rules = evaluate.expressions?.rules {
      if expressions.isEmpty { expressions = rules.map { ExpressionAccuracy(rules: $0) } }
      for index in expressions.indices {
        try expressions[index].add(
          frame: frame.index, labels: labels, faces: prediction.faces, matching: pairs)
      }
    }
    if evaluate.hasPoints { try addLandmarks(prediction, pairs, frame, labels, evaluate.scheme) }
    for match in pairs.matches {
      guard let truth = labels[match.label].blendshapes,
        let predicted = prediction.faces[match.face].blendshapes
      else { continue }
      // The first one is _neutral, which is nobody's expression.
      for (truth, predicted) in zip(truth, predicted).dropFirst()
      where Double(truth).isFinite && predicted.isFinite {
        tally[.coefficientCount] += 1
        tally[.coefficientSum] += abs(Double(predicted) - Double(truth))
      }
    }
  }

  private mutating func addLandmarks(
    _ prediction: FramePrediction, _ pairs: FaceMatching, _ frame: Frame, _ labels: [FaceLabel],
    _ scheme: LandmarkScheme
  ) throws {
    var accuracy = LandmarkAccuracy(scheme: scheme)
    try accuracy.add(frame: frame.index, labels: labels, faces: prediction.faces, matching: pairs)
    for error in accuracy.interocularErrors {
      tally[.landmarkFaces] += 1
      tally[.landmarkFailures] += error > LandmarkAccuracy.thresholds[0] ? 1 : 0
      if error.isFinite {
        tally[.errorCount] += 1
        tally[.errorSum] += error
      }
    }
  }

  private mutating func addDetections(
    of prediction: FramePrediction, frame: Frame, labels: [FaceLabel], isVideo: Bool
  ) throws {
    let outcome = try DetectionOutcome(
      frame: frame.index, labels: labels, detections: prediction.detections)
    tally[.labelled] += Double(outcome.matches.count + outcome.missed.count)
    tally[.found] += Double(outcome.matches.count)
    tally[.falsePositives] += Double(outcome.falsePositives.count)
    if isVideo { tally[.clipFalsePositives] += Double(outcome.falsePositives.count) }
    for match in outcome.matches {
      note(Float(prediction.detections[match.detection].score), isRight: true, as: .detection)
    }
    for position in outcome.falsePositives {
      note(Float(prediction.detections[position].score), isRight: false, as: .detection)
    }
  }

  /// Begins a stretch of a clip before a frame.
  mutating func cut(before frame: Int, microsecondsPerFrame: Double, by evaluate: Evaluate) {
    cuts.append((frame, sums(microsecondsPerFrame: microsecondsPerFrame, by: evaluate)))
  }

  /// The sums of each stretch, with its first frame: all of them, then the decisions by each set of rules.
  func stretches(
    from first: Int, microsecondsPerFrame: Double, by evaluate: Evaluate
  ) -> [(frame: Int, sums: [SweepCounts])] {
    let totals =
      cuts.map(\.sums) + [sums(microsecondsPerFrame: microsecondsPerFrame, by: evaluate)]
    return zip([first] + cuts.map(\.frame), totals.indices).map { frame, index in
      let earlier = index == 0 ? [] : totals[index - 1]
      return (
        frame,
        totals[index].enumerated().map { position, sums in
          position < earlier.count ? sums.less(earlier[position]) : sums
        }
      )
    }
  }

  /// The sums so far; a frame of a video lasts `microsecondsPerFrame`, the mean interval.
  private func sums(microsecondsPerFrame: Double, by evaluate: Evaluate) -> [SweepCounts] {
    [whole(microsecondsPerFrame: microsecondsPerFrame, by: evaluate)] + decisions(by: evaluate)
  }

  private func whole(microsecondsPerFrame: Double, by evaluate: Evaluate) -> SweepCounts {
    var tally = tally
    tally[.microseconds] = Double(scoredOfVideo) * microsecondsPerFrame
    if microsecondsPerFrame == 0 { tally[.clipFalsePositives] = 0 }
    let tracked = (tracking ?? FaceTracking(evaluate.context)).sums().counts
    tally[.occasions] = Double(tracked[.occasions])
    tally[.tracked] = Double(tracked[.found])
    tally[.losses] = Double(tracked[.losses])
    tally[.microsecondsWithFace] = Double(tracked[.microsecondsWithFace])
    let moved = jitter.sums(withSpectra: false)
    for (count, sum, total) in [
      (SweepCounts.Field.motionCount, SweepCounts.Field.motionSum, moved[.relative]),
      (.changeCount, .changeSum, moved[.second]), (.lagCount, .lagSum, moved[.lag]),
    ] where count != .lagCount || evaluate.facts.contains(.unsmoothed) {
      tally[count] = Double(total.count)
      tally[sum] = total.sum
    }
    if !evaluate.facts.contains(.detectorRan) { tally[.analysedOfVideos] = 0 }
    let layout = evaluate.layout
    let fields = tally.sums.prefix(SweepCounts.Field.allCases.count)
    let decided = layout.expressions.flatMap { _ in DecisionWeights().numbers }
    let measured = families.isEmpty ? layout.families : families
    return SweepCounts(
      fields + decided + measured.flatMap(\.numbers) + confidences.flatMap(\.numbers), layout)
  }

  /// The decisions on expressions by each set of rules, by its position; none where no threshold is swept.
  private func decisions(by evaluate: Evaluate) -> [SweepCounts] {
    guard let swept = evaluate.expressions else { return [] }
    return expressions.map { accuracy in
      var counts = SweepCounts([], evaluate.layout)
      for (position, name) in swept.names.enumerated() {
        counts[expression: position] = accuracy.decisions(on: name)
      }
      return counts
    }
  }
}
