internal import FaceCore
internal import Metrics
internal import Records

/// Judges blendshapes, expressions and poses where the dataset has labels of them, and else says nothing.
///
/// Rules that the user gives are also followed through videos, labelled or not.
struct TraitScoring {
  private let isLabelled: Bool
  private let noFaces: String?
  private var blendshapes = BlendshapeAccuracy()
  private var expressions: ExpressionAccuracy
  private var classes: ExpressionClassification
  private var pose = PoseAccuracy()
  private var activity: ExpressionActivity?

  init(_ tracker: JudgedTracker, isLabelled: Bool, rules: ExpressionRules?) {
    self.isLabelled = isLabelled
    noFaces = tracker.noFaces
    expressions = ExpressionAccuracy(rules: rules ?? .builtIn)
    classes = ExpressionClassification(rules: rules ?? .builtIn)
    activity = rules.map { ExpressionActivity(rules: $0) }
  }

  /// Takes in one frame; labels of frames that were not analysed do not count.
  mutating func add(
    _ frame: Frame, isVideo: Bool, labels: [FaceLabel], prediction: FramePrediction,
    matching: FaceMatching
  ) throws(MetricError) {
    try activity?.add(frame, isVideo: isVideo, prediction: prediction)
    guard isLabelled, prediction.status == .analysed else { return }
    let (index, faces) = (frame.index, prediction.faces)
    try blendshapes.add(frame: index, labels: labels, faces: faces, matching: matching)
    try expressions.add(frame: index, labels: labels, faces: faces, matching: matching)
    try classes.add(frame: index, labels: labels, faces: faces, matching: matching)
    try pose.add(frame: index, labels: labels, faces: faces, matching: matching)
  }

  /// The figures of those families that the dataset has labels of, in the order of the catalogue.
  func groups() -> [FigureGroup] {
    var groups: [FigureGroup] = []
    if blendshapes.hasLabels {
      groups.append(
        FigureGroup(
          blendshapes.summarize() + blendshapes.coefficientFigures(),
          frames: blendshapes.countedFrames))
    }
    if expressions.hasLabels { groups.append(FigureGroup(expressions)) }
    if classes.hasLabels { groups.append(FigureGroup(classes)) }
    if pose.hasLabels { groups.append(FigureGroup(pose)) }
    return groups.map { $0.judged(because: noFaces) }
  }

  /// Keeps the frames that a draw takes.
  mutating func draw(_ draw: FrameDraw) {
    blendshapes.draw(draw)
    expressions.draw(draw)
    classes.draw(draw)
    pose.draw(draw)
  }

  /// Swaps the chosen frames with another run's.
  mutating func exchange(with other: inout TraitScoring, where isChosen: (Int) -> Bool) {
    blendshapes.exchange(with: &other.blendshapes, where: isChosen)
    expressions.exchange(with: &other.expressions, where: isChosen)
    classes.exchange(with: &other.classes, where: isChosen)
    pose.exchange(with: &other.pose, where: isChosen)
  }

  /// Coefficients one by one, poses by yaw, and the user's expressions over time.
  func series(names: [Int: String]) -> [Series?] {
    guard noFaces == nil else { return [] }
    return [
      blendshapes.channelTable(), classes.confusionTable(), pose.hasLabels ? pose.yawTable() : nil,
      activity?.table(names: names),
    ]
  }

  /// What a reader must know of the coefficients.
  func notes() -> [String] {
    noFaces == nil ? blendshapes.notes() + classes.notes() : []
  }
}
