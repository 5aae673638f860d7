internal import FaceCore
internal import FacePipeline
internal import Metrics
internal import Records

/// Judges the labelled faces of one slice by themselves.
///
/// What no label is behind belongs to no slice of faces: false positives, and so precision, are left out.
struct FaceSliceScoring: Sendable {
  private let tracker: JudgedTracker
  private var detection: DetectionOperatingPoint
  private var acquisition = FaceAcquisition()
  private var landmarks: LandmarkAccuracy
  private var blendshapes = BlendshapeAccuracy()
  private var expressions: ExpressionAccuracy
  private var pose = PoseAccuracy()

  init(_ tracker: JudgedTracker, rules: ExpressionRules) {
    self.tracker = tracker
    detection = DetectionOperatingPoint(numFaces: tracker.settings.numFaces)
    landmarks = LandmarkAccuracy(scheme: tracker.scheme)
    expressions = ExpressionAccuracy(rules: rules)
  }

  /// Takes in the faces of the slice in one analysed frame; `isKept` says which labels they are.
  mutating func add(
    _ frame: Int, labels: [FaceLabel], faces: [FacePrediction], matching: FaceMatching,
    pairs: FaceMatching, outcome: DetectionOutcome?, where isKept: (Int) -> Bool
  ) throws(MetricError) {
    let own = pairs.restricted(to: isKept)
    if let outcome {
      try detection.add(
        frame: frame, found: outcome.matches.count { isKept($0.label) },
        missed: outcome.missed.count(where: isKept))
    }
    try acquisition.add(frame: frame, matching: matching.restricted(to: isKept))
    if tracker.noPoints == nil {
      try landmarks.add(frame: frame, labels: labels, faces: faces, matching: own)
    }
    try blendshapes.add(frame: frame, labels: labels, faces: faces, matching: own)
    try expressions.add(frame: frame, labels: labels, faces: faces, matching: own)
    try pose.add(frame: frame, labels: labels, faces: faces, matching: own)
  }

  /// Keeps the frames that a draw takes.
  mutating func draw(_ draw: FrameDraw) {
    detection.draw(draw)
    acquisition.draw(draw)
    if tracker.noPoints == nil { landmarks.draw(draw) }
    if blendshapes.hasLabels { blendshapes.draw(draw) }
    if expressions.hasLabels { expressions.draw(draw) }
    if pose.hasLabels { pose.draw(draw) }
  }

  /// Swaps the chosen frames with the same slice of another run.
  mutating func exchange(with other: inout FaceSliceScoring, where isChosen: (Int) -> Bool) {
    detection.exchange(with: &other.detection, where: isChosen)
    acquisition.exchange(with: &other.acquisition, where: isChosen)
    landmarks.exchange(with: &other.landmarks, where: isChosen)
    blendshapes.exchange(with: &other.blendshapes, where: isChosen)
    expressions.exchange(with: &other.expressions, where: isChosen)
    pose.exchange(with: &other.pose, where: isChosen)
  }

  /// The figures of the families that the slice has labels of.
  func groups() -> [FigureGroup] {
    var groups = [FigureGroup(detection)]
    guard tracker.noFaces == nil else { return groups }
    groups.append(FigureGroup(acquisition))
    if tracker.noPoints == nil { groups.append(FigureGroup(landmarks)) }
    if blendshapes.hasLabels { groups.append(FigureGroup(blendshapes)) }
    if expressions.hasLabels { groups.append(FigureGroup(expressions)) }
    if pose.hasLabels { groups.append(FigureGroup(pose)) }
    return groups
  }
}
