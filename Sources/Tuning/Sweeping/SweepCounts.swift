internal import Datasets
internal import FaceCore
internal import Metrics
internal import Records

/// What one setting did over some frames, as sums: those of two stretches of frames add up.
struct SweepCounts: Sendable {
  /// Positions of the sums.
  enum Field: Int, CaseIterable {
    /// Frames that were analysed; of them those that faces were given out in, and that the detector ran in.
    case analysed, withFace, detectorRuns
    /// Analysed frames of videos, and those of them that the detector ran in.
    case analysedOfVideos, detectorRunsOfVideos
    /// Regions that the landmark model read.
    case reads
    /// Labelled faces that count, those of them found, and faces given out that match none.
    case labelled, found, falsePositives
    /// Analysed frames whose labels are known; microseconds of those of videos, and false positives in them.
    case evaluated, microseconds, clipFalsePositives
    /// Occasions on which a face of a video could have been there, those it was, losses and the time with faces.
    case occasions, tracked, losses, microsecondsWithFace
    /// Faces with an error of landmarks and the sum of the errors; faces evaluated, and failed among them.
    case errorCount, errorSum, landmarkFaces, landmarkFailures
    /// Motion, change of motion and lag, with what they are means over.
    case motionCount, motionSum, changeCount, changeSum, lagCount, lagSum
    /// Coefficients with a label, and the sum of their absolute errors.
    case coefficientCount, coefficientSum
  }

  /// The confidences that are binned.
  enum Confidence: Int, CaseIterable {
    case detection, presence
  }

  /// Which sums there are after the fields: of expressions, of families, and of confidences.
  struct Layout: Sendable {
    /// The expressions that have sums.
    let expressions: [String]
    /// The families whose metrics objectives name, without frames.
    let families: [any AdditiveFamily]
    /// Where the sums of each family begin; at the end how many sums there are for draws.
    fileprivate let starts: [Int]
    /// How many sums there are in all.
    let count: Int

    init(expressions: [String] = [], families: [any AdditiveFamily] = []) {
      self.expressions = expressions
      self.families = families
      let first = Field.allCases.count + expressions.count * Decision.allCases.count
      starts = families.reduce(into: [first]) { $0.append($0[$0.count - 1] + $1.numbers.count) }
      count =
        starts[families.count] + Confidence.allCases.count * ReliabilitySums().numbers.count
    }

    /// How many sums there are for draws; the bins of confidences come after them.
    var drawnCount: Int { starts[families.count] }

    /// What the sums are called in the parts of a sweep, by position.
    var names: [String] {
      let decided = expressions.flatMap { name in
        Decision.allCases.map { "expression:\(name):\($0)" }
      }
      let measured = families.flatMap { family in
        family.numbers.indices.map { "\(type(of: family).table):\($0)" }
      }
      let binned = Confidence.allCases.flatMap { kind in
        (0..<ReliabilitySums.usualBins).flatMap { bin in
          ["Count", "Right", "Sum"].map { "\(kind)Bin\(bin)\($0)" }
        }
      }
      return Field.allCases.map { "\($0)" } + decided + measured + binned
    }
  }

  let layout: Layout
  private(set) var sums: [Double]

  subscript(_ field: Field) -> Double {
    get { sums[field.rawValue] }
    set { sums[field.rawValue] = newValue }
  }

  /// Takes the first sums; the others are 0.
  init(_ sums: some Collection<Double> = [], _ layout: Layout = Layout()) {
    self.layout = layout
    self.sums = Array(sums) + Array(repeating: 0, count: max(0, layout.count - sums.count))
  }

  /// These sums without those of fewer frames.
  func less(_ earlier: SweepCounts) -> SweepCounts {
    SweepCounts(zip(sums, earlier.sums).map { $0 - $1 }, layout)
  }

  /// Whether nothing was counted.
  var isEmpty: Bool { sums.allSatisfy { $0 == 0 } }

  /// The decisions on an expression, by its position.
  subscript(expression position: Int) -> DecisionWeights {
    get { DecisionWeights(sums[decisions(on: position)]) }
    set { sums.replaceSubrange(decisions(on: position), with: newValue.numbers) }
  }

  private func decisions(on expression: Int) -> Range<Int> {
    let start = Field.allCases.count + expression * Decision.allCases.count
    return start..<start + Decision.allCases.count
  }

  /// The metrics of a family, by its position.
  func measurements(ofFamily position: Int) -> [Measurement] {
    layout.families[position].measurements(
      of: sums[layout.starts[position]..<layout.starts[position + 1]])
  }

  /// Expected calibration error of a confidence; nil without any.
  func calibrationError(of kind: Confidence) -> Double? {
    var numbers = sums[layout.drawnCount...]
    for own in Confidence.allCases {
      let bins = ReliabilitySums(numbers: &numbers)
      if own == kind { return bins.error?.value }
    }
    return nil
  }
}

/// Collects what one setting does over a video, or over a still.
struct SequenceTally: Sendable {
  private var tally = SweepCounts()
  private var tracking = FaceTracking()
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
    /// Whether faces have points, and whether they have boxes or points.
    var hasPoints = true, hasPositions = true
    /// How labelled faces and predictions become the pairs whose landmarks and attributes are compared.
    var pairing = FacePairing.overlap
    /// What the predictions contain.
    var facts = Set(TrackerFact.allCases)
    /// The rules of expressions that settings differ in; nil where no threshold of theirs is swept.
    var expressions: SweptExpressions?
    /// Which sums there are.
    var layout = SweepCounts.Layout()
  }

  /// Takes in the next frame; in a frozen one no face is there.
  mutating func add(
    _ frame: Frame, isVideo: Bool, labels: [FaceLabel], prediction: FramePrediction, reads: Int,
    isFrozen: Bool = false, by evaluate: Evaluate
  ) throws {
    tracking.isLabelled = evaluate.isLabelled
    guard prediction.status == .analysed else {
      let matching = try FaceMatching(frame: frame.index, labels: labels, faces: [])
      try tracking.add(
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
    try addToFamilies(frame, isVideo, labels, prediction, matching, evaluate, isFrozen: isFrozen)
    guard isVideo else { return }
    try tracking.add(
      frame, isVideo: true, prediction: prediction, labels: labels, matching: matching,
      isFrozen: isFrozen)
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
    _ matching: FaceMatching, _ evaluate: Evaluate, isFrozen: Bool = false
  ) throws {
    guard !evaluate.layout.families.isEmpty, !evaluate.isDetectorOnly else { return }
    if families.isEmpty {
      var context = MetricContext(scheme: evaluate.scheme)
      context.isLabelled = evaluate.isLabelled
      families = evaluate.layout.families.map { type(of: $0).init(context) }
    }
    var scored = ScoredFrame(
      frame, isVideo: isVideo, group: nil, labels: labels, given: prediction,
      prediction: prediction, matching: matching,
      pairs: try matching.paired(
        by: evaluate.pairing, labels: labels, faces: prediction.faces, frame: frame.index),
      earlier: sights)
    scored.isFrozen = isFrozen
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

  /// Notes whether faces or detections with a confidence in [0, 1] were right.
  private mutating func note(_ confidence: Float, isRight: Bool, as kind: SweepCounts.Confidence) {
    guard let outcome = ConfidenceOutcome(Double(confidence), isTrue: isRight) else { return }
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
    let tracked = tracking.sums().counts
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
