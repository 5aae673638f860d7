package import FaceCore

/// One frame as metrics take it in: its labels, what was predicted, and what follows from both.
package struct ScoredFrame: Sendable {
  /// The detections of an analysed frame in which the detector ran, best score first.
  package struct Detections: Sendable {
    /// Size of the image in pixels.
    package var size: ImageSize
    /// Those that rankings count, with the scores that predictions give out.
    package var ranked: [FaceDetection]
    /// Those of the minimum score or more.
    package var unclipped: [FaceDetection]
    /// The first `numFaces` of them.
    package var kept: [FaceDetection]
    /// The same with the scores that predictions give out.
    package var keptRanked: [FaceDetection]
    /// Who was found by those that are kept.
    package var outcome: DetectionOutcome

    /// Gathers the detections of a frame.
    package init(
      size: ImageSize, ranked: [FaceDetection], unclipped: [FaceDetection], kept: [FaceDetection],
      keptRanked: [FaceDetection], outcome: DetectionOutcome
    ) {
      self.size = size
      self.ranked = ranked
      self.unclipped = unclipped
      self.kept = kept
      self.keptRanked = keptRanked
      self.outcome = outcome
    }
  }

  /// The frame.
  package let frame: Frame
  /// Whether it is one of a video.
  package let isVideo: Bool
  /// What images of one person or video have in common; nil for a still of nobody known.
  package let group: String?
  /// The labelled faces.
  package let labels: [FaceLabel]
  /// The prediction as it was given.
  package let given: FramePrediction
  /// The prediction with only those faces that reach the minimum score.
  package let prediction: FramePrediction
  /// Labels and faces matched by their boxes.
  package private(set) var matching: FaceMatching
  /// Labels and faces whose landmarks and attributes are compared.
  package private(set) var pairs: FaceMatching
  /// Up to two frames before it in the same sequence, the later one first.
  package let earlier: [LabelledJitter.Sight]
  /// The whole frame as the next ones see it, without candidates.
  package let sight: LabelledJitter.Sight
  /// What the detector found; nil when it did not run.
  package var detections: Detections?
  /// Whether the faces' values are those of frames before, so that they count as lost.
  package var isFrozen = false
  /// How far the landmarks of the labelled faces are off; nil until they are measured.
  private var landmarkErrors: [LandmarkErrors]?
  /// Which labels belong to the slice; nil for the whole frame.
  package private(set) var isInSlice: (@Sendable (Int) -> Bool)?

  /// Gathers a frame; `pairs` are those whose landmarks and attributes are compared.
  package init(
    _ frame: Frame, isVideo: Bool, group: String?, labels: [FaceLabel], given: FramePrediction,
    prediction: FramePrediction, matching: FaceMatching, pairs: FaceMatching,
    earlier: [LabelledJitter.Sight]
  ) {
    self.frame = frame
    self.isVideo = isVideo
    self.group = group
    self.labels = labels
    self.given = given
    self.prediction = prediction
    self.matching = matching
    self.pairs = pairs
    self.earlier = earlier
    var slim = prediction
    slim.candidates = []
    sight = LabelledJitter.Sight(labels: labels, prediction: slim, matching: pairs)
  }

  /// Whether its faces are not labelled, as of the frames between those that a person labels in a clip.
  package var isUnlabelled: Bool { labels.leaveOut(frame.size) }

  /// Whether a family that counts labelled frames has it among them.
  package func counts(for requirements: MetricRequirements) -> Bool {
    !requirements.isSuperset(of: [.labels, .analysedFrames]) || !isUnlabelled
  }

  /// The faces that count as output.
  package var faces: [FacePrediction] { prediction.faces }

  /// Measures the landmarks now, so that no slice has to; throws for a matched face in another scheme.
  package mutating func measureLandmarks(in scheme: LandmarkScheme) throws(MetricError) {
    landmarkErrors = try landmarkErrors(in: scheme)
  }

  /// How far the landmarks of the labelled faces are off; throws for a matched face in another scheme.
  func landmarkErrors(in scheme: LandmarkScheme) throws(MetricError) -> [LandmarkErrors] {
    if let landmarkErrors { return landmarkErrors }
    return try LandmarkErrors.all(
      frame: frame.index, labels: labels, faces: faces, matching: pairs, scheme: scheme)
  }

  /// The labelled faces of a slice; predictions without a label belong to no slice.
  package func restricted(to isKept: @escaping @Sendable (Int) -> Bool) -> ScoredFrame {
    var part = self
    part.matching = matching.restricted(to: isKept)
    part.pairs = pairs.restricted(to: isKept)
    part.landmarkErrors = landmarkErrors?.filter { isKept($0.label) }
    part.isInSlice = isKept
    return part
  }
}
