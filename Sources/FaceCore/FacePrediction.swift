/// All that a tracker said of one face in one frame.
public struct FacePrediction: Sendable, Hashable {
  /// The region that the landmark stage looked at.
  public var region: NormalizedRect
  /// Whether the region came from the landmarks of the frame before, not from the detector.
  public var isTracked: Bool
  /// Confidence of the detection that gave the region, in [0, 1]; nil for a tracked face.
  public var detectionScore: Float?
  /// Probability that the region holds a face, in [0, 1].
  public var presence: Float
  /// Probability that the tongue is out, in [0, 1]; nil where the net does not say.
  public var tongueOut: Float?
  /// Names and orders the points.
  public var scheme: LandmarkScheme
  /// `scheme.count` points: x and y in pixels, z in the same unit, smaller towards the camera.
  public var points: [SIMD3<Float>]
  /// The points before smoothing; equal to `points` where nothing was smoothed.
  public var unsmoothedPoints: [SIMD3<Float>]
  /// The 52 coefficients of `Blendshape`, in [0, 1]; nil where no net gave them.
  public var blendshapes: [Float]?
  /// The head's pose; nil where it was not computed.
  public var pose: HeadPose?

  /// Makes a prediction; the points count as unsmoothed unless others are given.
  public init(
    region: NormalizedRect, isTracked: Bool, detectionScore: Float?, presence: Float,
    tongueOut: Float? = nil, scheme: LandmarkScheme, points: [SIMD3<Float>],
    unsmoothedPoints: [SIMD3<Float>]? = nil, blendshapes: [Float]? = nil, pose: HeadPose? = nil
  ) {
    self.region = region
    self.isTracked = isTracked
    self.detectionScore = detectionScore
    self.presence = presence
    self.tongueOut = tongueOut
    self.scheme = scheme
    self.points = points
    self.unsmoothedPoints = unsmoothedPoints ?? points
    self.blendshapes = blendshapes
    self.pose = pose
  }

  /// The tight box around the points in pixels; nil without points.
  public var box: BoundingBox? {
    BoundingBox(around: points.map { Point(x: Double($0.x), y: Double($0.y)) })
  }
}
