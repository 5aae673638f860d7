package import FaceCore
internal import Platform
package import Records

/// Metrics that one accumulator measures; scoring, resampling, slicing and comparing treat all families alike.
///
/// A family is one file and one line of `MetricCatalog.families`.
package protocol MetricFamily: Metric {
  /// What a run must have for the metrics to be defined, and a frame to be added.
  static var requirements: MetricRequirements { get }

  /// Starts without frames.
  init(_ context: MetricContext)

  /// Takes in one frame, or the part of it that is in a slice; frames come in order.
  mutating func add(_ frame: ScoredFrame) throws(MetricError)

  /// Keeps the frames that a draw takes, as often as it takes them.
  mutating func draw(_ draw: FrameDraw)

  /// The metrics for any choice of clusters; those of a slice may leave out what no slice reports.
  func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler

  /// Swaps the chosen frames with those of another run on the same dataset.
  mutating func swapFrames(with other: inout Self, where isChosen: (Int) -> Bool)

  /// The metrics where some clusters are those of another run, for each choice of clusters.
  func measurements(
    swappedWith other: any MetricFamily, _ choices: [[Bool]], of clusters: FrameClusters
  ) -> [[Measurement]]

  /// The frames of the table that the metrics rest on.
  var countedFrames: FrameRuns { get }

  /// As many frames of each cluster as the metrics rest on, in place of those of videos that only sums are kept of.
  var restingFrames: FrameRuns { get }

  /// Metrics that rest on fewer of them, by name.
  var ownFrames: [(metrics: Set<String>, frames: FrameRuns)] { get }

  /// What is kept in place of the frames of a draw, which are of one video, and nothing of others.
  func condensed(_ draw: FrameDraw) -> Self

  /// Keeps of a whole video, the last there is, only what is needed in place of its frames.
  mutating func condense(_ video: Range<Int>)

  /// Takes in what another accumulator keeps in place of frames, and none of its frames.
  mutating func mergeCondensed(any other: any MetricFamily) throws(MetricError)

  /// How many bytes what is kept takes.
  var byteCount: Int { get }

  /// Whether the dataset has what the metrics are about; without it they are left out.
  var isPresent: Bool { get }

  /// Does once, before any draw, what depends on all frames.
  mutating func prepare()

  /// The metrics; those of a slice may leave out what no slice reports.
  func measurements(inSlice: Bool) -> [Measurement]

  /// The curves, histograms and tables.
  func series(_ context: SeriesContext) throws(MetricError) -> [Series]

  /// What a reader must know, one sentence each.
  func notes(_ context: SeriesContext) -> [String]

  /// The intervals of metrics that are not resampled; nil for others.
  func intervals(of metrics: [Measurement], in clusters: FrameClusters) -> [Interval?]

  /// The calibration errors among the metrics by name, as they were corrected.
  var calibrationErrors: [String: ExpectedCalibrationError] { get }

  /// How many samples are over the limit of a gate that counts frames; nil for other gates.
  func count(beyondLimitOf gate: Gate) -> LimitCount?

  /// The errors of a frame; nil where the family counts none.
  func errors(inFrame frame: Int) -> Int?

  /// The mean error of a frame's faces; nil where the family measures none.
  func meanError(ofFrame frame: Int) -> Double?
}

extension MetricFamily {
  /// Takes in the frames of another accumulator of the same family and settings.
  package mutating func merge(any other: any MetricFamily) throws(MetricError) {
    guard let other = other as? Self else { preconditionFailure("families in another order") }
    try merge(other)
  }

  package func measurements(
    swappedWith other: any MetricFamily, _ choices: [[Bool]], of clusters: FrameClusters
  ) -> [[Measurement]] {
    guard let other = other as? Self else { preconditionFailure("families in another order") }
    return choices.concurrentMap { isSwapped in
      var (own, theirs) = (self, other)
      own.swapFrames(with: &theirs) { frame in
        clusters.cluster(of: frame).map { isSwapped[$0] } ?? false
      }
      return own.measurements(inSlice: false)
    }
  }

  package var restingFrames: FrameRuns { countedFrames }
  package var ownFrames: [(metrics: Set<String>, frames: FrameRuns)] { [] }

  package func condensed(_ draw: FrameDraw) -> Self {
    var empty = self
    empty.draw(FrameDraw())
    return empty
  }

  package mutating func condense(_ video: Range<Int>) {}
  package mutating func mergeCondensed(any other: any MetricFamily) throws(MetricError) {}

  package func resampler(of clusters: FrameClusters, isSlice: Bool) -> any FamilyResampler {
    FrameResampler(family: self, isSlice: isSlice)
  }

  package var isPresent: Bool { true }
  package mutating func prepare() {}
  package func measurements(inSlice: Bool) -> [Measurement] { summarize() }
  package func series(_ context: SeriesContext) throws(MetricError) -> [Series] { [] }
  package func notes(_ context: SeriesContext) -> [String] { [] }
  package func intervals(of metrics: [Measurement], in clusters: FrameClusters) -> [Interval?] {
    metrics.map { _ in nil }
  }
  package var calibrationErrors: [String: ExpectedCalibrationError] { [:] }
  package func count(beyondLimitOf gate: Gate) -> LimitCount? { nil }
  package func errors(inFrame frame: Int) -> Int? { nil }
  package func meanError(ofFrame frame: Int) -> Double? { nil }
}

/// A family that takes no setting of a run.
package protocol FamilyWithoutSettings: MetricFamily {
  /// Starts without frames.
  init()
}

extension FamilyWithoutSettings {
  package init(_ context: MetricContext) { self.init() }
}

/// What a run must have for a family.
package struct MetricRequirements: OptionSet, Sendable, Hashable {
  package let rawValue: Int

  package init(rawValue: Int) { self.rawValue = rawValue }

  /// Labels; without them no frame is added.
  package static let labels = MetricRequirements(rawValue: 1)
  /// Detections in every analysed frame, each with a label's position; other frames are not added.
  package static let detections = MetricRequirements(rawValue: 2)
  /// Detections whose scores rank boxes of one kind.
  package static let ranking = MetricRequirements(rawValue: 4)
  /// Faces after the detector; without them no frame is added.
  package static let faces = MetricRequirements(rawValue: 8)
  /// Faces after the detector; without them frames are added, so that what is labelled is known.
  package static let attributes = MetricRequirements(rawValue: 16)
  /// Points of faces; without them no frame is added.
  package static let points = MetricRequirements(rawValue: 32)
  /// Frames that were analysed; others are not added, nor with `labels` those whose faces are not labelled.
  package static let analysedFrames = MetricRequirements(rawValue: 64)
  /// The family is also measured on the labelled faces of each slice.
  package static let facesOfSlices = MetricRequirements(rawValue: 128)
  /// Times that were measured on machines of one kind.
  package static let times = MetricRequirements(rawValue: 256)
}

/// What a tracker may or may not provide in addition to faces.
package enum TrackerFact: String, Sendable, CaseIterable {
  /// In which frames its detector ran.
  case detectorRan = "detector_ran"
  /// Its points before smoothing.
  case unsmoothed
  /// Scores of its detections, which may be all the same.
  case scores
  /// Scores of its detections that differ, and so rank them.
  case ranking
  /// Presences of its faces.
  case presences

  /// Why a metric that needs the fact is undefined without it.
  package var absence: String {
    switch self {
    case .detectorRan: "the tracker does not report in which frames its detector ran"
    case .unsmoothed: "the tracker does not provide its points before smoothing"
    case .scores: "the tracker gives no scores"
    case .ranking: "all scores are the same and rank nothing"
    case .presences: "the tracker gives no presences of faces"
    }
  }
}

/// What families are told of a run before the first frame.
package struct MetricContext: Sendable {
  /// Maximum number of faces in a frame.
  package var numFaces = 1
  /// How many detections of an image count in average precision.
  package var maxDetections = COCODetection.defaultMaxDetections
  /// Names and orders the points of the faces.
  package var scheme: LandmarkScheme
  /// The rules of expressions.
  package var rules = ExpressionRules.builtIn
  /// Whether the rules are the user's own.
  package var hasOwnRules = false
  /// How labelled numbers are compared.
  package var attributes = AttributeRules.none
  /// The timed stages, `total` last.
  package var stages: [String] = []
  /// The attributes that labels may have; nil where they are not known.
  package var labelAttributes: [String]?
  /// What the tracker provides.
  package var facts = Set(TrackerFact.allCases)
  /// Whether the dataset has labels, so that nobody is seen where no face is labelled.
  package var isLabelled = false
  /// Whether the dataset is one clip with labelled faces, of which a stretch may have none.
  package var isLabelledClip = false
  /// Whether only the labelled faces of a slice are measured, of which no curve is shown.
  package var isSlice = false

  /// Describes a run.
  package init(scheme: LandmarkScheme) {
    self.scheme = scheme
  }
}

/// What curves, tables and notes need to know of a run.
package struct SeriesContext: Sendable {
  /// Names of the videos by their sequence.
  package var videoNames: [Int: String] = [:]
  /// The minimum score of a detection, on the scale of the predictions' scores.
  package var minScore = 0.5
  /// The same as a caption, such as `score 0.50, num-faces 1`.
  package var operatingPoint = ""
  /// Values of all defined metrics by name; empty for notes.
  package var values: [String: Double] = [:]
  /// The largest number of faces, for notes.
  package var numFaces = 1
  /// How many detections of an image count in average precision.
  package var maxDetections = COCODetection.defaultMaxDetections
  /// What the tracker provides; without scores no curve is drawn over them.
  package var facts = Set(TrackerFact.allCases)

  /// Starts with defaults.
  package init() {}
}
