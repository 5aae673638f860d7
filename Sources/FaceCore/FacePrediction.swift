/// All that a tracker said of one face in one frame.
public struct FacePrediction: Sendable, Hashable {
  /// The region that the landmark stage looked at; nil where the tracker does not say.
  public var region: NormalizedRect?
  /// Whether the region came from the landmarks of the frame before, not from the detector.
  public var isTracked: Bool
  /// Confidence of the detection that gave the region; nil for a tracked face and where it is not said.
  public var detectionScore: Float?
  /// Probability that the region holds a face, in [0, 1]; nil where the tracker does not say.
  public var presence: Float?
  /// Probability that the tongue is out, in [0, 1]; nil where the net does not say.
  public var tongueOut: Float?
  /// Names and orders the points; nil for a tracker that gives boxes alone.
  public var scheme: LandmarkScheme?
  /// `scheme.count` points: x and y in pixels, z in the same unit, smaller towards the camera.
  ///
  /// A point that the tracker does not give is NaN, and z is NaN where points are flat.
  public var points: [SIMD3<Float>]
  /// The points before smoothing; equal to `points` where nothing was smoothed.
  public var unsmoothedPoints: [SIMD3<Float>]
  /// Whether each point is hidden, `scheme.count` of them, nil where it is not said; nil where the tracker never says.
  public var hiddenPoints: [Bool?]?
  /// The tracker's own box in pixels, which counts where there are no points.
  public var ownBox: BoundingBox?
  /// Who it is to the tracker, over the frames of a sequence; nil where it does not say.
  public var identity: Int?
  /// The 52 coefficients of `Blendshape`, NaN where one is not given; nil where no net gave them.
  public var blendshapes: [Float]?
  /// The head's pose; nil where it was not computed.
  public var pose: HeadPose?
  /// The expression in the tracker's own word; nil where it gives none.
  public var expression: String?
  /// Whatever else the tracker says in numbers, by name; angles in radians.
  public var attributes: [String: Double] = [:]

  /// Makes a prediction; the points count as unsmoothed unless others are given.
  public init(
    region: NormalizedRect?, isTracked: Bool, detectionScore: Float?, presence: Float?,
    tongueOut: Float? = nil, scheme: LandmarkScheme?, points: [SIMD3<Float>],
    unsmoothedPoints: [SIMD3<Float>]? = nil, ownBox: BoundingBox? = nil, identity: Int? = nil,
    blendshapes: [Float]? = nil, pose: HeadPose? = nil
  ) {
    self.region = region
    self.isTracked = isTracked
    self.detectionScore = detectionScore
    self.presence = presence
    self.tongueOut = tongueOut
    self.scheme = scheme
    self.points = points
    self.unsmoothedPoints = unsmoothedPoints ?? points
    self.ownBox = ownBox
    self.identity = identity
    self.blendshapes = blendshapes
    self.pose = pose
  }

  /// The tight box around the points in pixels, else the tracker's own box; nil without either.
  ///
  /// Points that are not all finite have no tight box.
  public var box: BoundingBox? {
    guard points.allSatisfy({ $0.x.isFinite && $0.y.isFinite }) else { return ownBox }
    return BoundingBox(around: points.map { Point(x: Double($0.x), y: Double($0.y)) }) ?? ownBox
  }
}
