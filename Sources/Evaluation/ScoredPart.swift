internal import Metrics
internal import Records

/// All of a dataset, or one slice, with the accumulators that its figures come from.
struct ScoredPart: Sendable {
  private enum Content: Sendable {
    case frames(Scoring)
    case faces(FaceSliceScoring)
  }

  /// The name of the slice; nil for the whole dataset.
  let slice: String?
  private var content: Content

  /// A slice of faces.
  init(faces: FaceSliceScoring, slice: String) {
    self.slice = slice
    content = .faces(faces)
  }

  /// A slice of frames, or the whole dataset.
  init(frames: Scoring, slice: String?) {
    self.slice = slice
    content = .frames(frames)
  }

  /// The interval of a percentile of the part's own latencies; nil for other figures, which are resampled.
  func interval(of figure: Measurement) -> Interval? {
    guard case .frames(let scoring) = content else { return nil }
    var figure = figure
    if slice != nil { figure.slice = nil }
    return scoring.interval(of: figure)
  }

  /// Keeps the frames that a draw takes.
  mutating func draw(_ draw: FrameDraw) {
    switch content {
    case .frames(var scoring):
      scoring.draw(draw)
      content = .frames(scoring)
    case .faces(var scoring):
      scoring.draw(draw)
      content = .faces(scoring)
    }
  }

  /// Swaps the chosen frames with the same part of another run; parts of another kind stay as they are.
  mutating func exchange(with other: inout ScoredPart, where isChosen: (Int) -> Bool) {
    switch (content, other.content) {
    case (.frames(var own), .frames(var others)):
      own.exchange(with: &others, where: isChosen)
      (content, other.content) = (.frames(own), .frames(others))
    case (.faces(var own), .faces(var others)):
      own.exchange(with: &others, where: isChosen)
      (content, other.content) = (.faces(own), .faces(others))
    default: break
    }
  }

  /// The figures; of a slice only those that are given of slices, with the slice's name.
  func groups() -> [FigureGroup] {
    let groups =
      switch content {
      case .frames(let scoring): scoring.groups()
      case .faces(let scoring): scoring.groups()
      }
    guard let slice else { return groups }
    let isOfFaces = if case .faces = content { true } else { false }
    return groups.compactMap { group in
      let figures = group.figures.filter {
        $0.slice == nil && Self.isGiven($0.name)
          && !(isOfFaces && $0.name == "detection.precision@score")
      }
      .map { figure in
        var figure = figure
        figure.slice = slice
        return figure
      }
      return figures.isEmpty ? nil : FigureGroup(figures, frames: group.frames)
    }
  }

  private static let given: Set<String> = [
    "detection.ap50", "detection.recall@score", "detection.precision@score",
    "faces.failure_to_acquire", "landmarks.nme.interocular",
    "landmarks.nme.interocular.conditional",
    "landmarks.nme.box", "landmarks.nme.box.conditional", "landmarks.fr.interocular@0.08",
    "landmarks.fr.interocular@0.10", "landmarks.auc.interocular@0.08", "pose.geodesic",
    "pose.geodesic.conditional", "pose.mae.yaw.conditional", "pose.mae.pitch.conditional",
    "pose.mae.roll.conditional", "blendshapes.mae", "blendshapes.mae.conditional",
    "tracking.tracked_share", "tracking.losses_per_minute", "jitter.static.interocular",
    "jitter.nmj",
    "lag.ms", "latency.total.p50",
  ]

  /// Whether a figure is given of slices too: of each family those that its section opens with.
  static func isGiven(_ name: String) -> Bool {
    given.contains(name)
      || (name.hasPrefix("expressions.") && (name.hasSuffix(".f1") || name.hasSuffix(".auroc")))
  }
}
