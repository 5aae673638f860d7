/// A tracker's output for one face in one frame.
package struct FacePrediction: Sendable, Hashable {
  /// The region that the landmark stage looked at; nil where the tracker does not report it.
  package var region: NormalizedRect?
  /// Whether the region came from the landmarks of the frame before, not from the detector.
  package var isTracked: Bool
  /// Confidence of the detection that gave the region; nil for a tracked face or if it is not reported.
  package var detectionScore: Float?
  /// Probability that the region holds a face, in [0, 1]; nil where the tracker does not report it.
  package var presence: Float?
  /// Probability that the tongue is out, in [0, 1]; nil where the model has no output for it.
  package var tongueOut: Float?
  /// Names and orders the points; nil for a tracker that outputs only boxes.
  package var scheme: LandmarkScheme?
  /// `scheme.count` points: x and y in pixels, z in the same unit, smaller towards the camera.
  ///
  /// A point that the tracker does not give is NaN, and z is NaN where points are flat.
  package var points: [SIMD3<Float>]
  /// The points before smoothing; equal to `points` where nothing was smoothed.
  package var unsmoothedPoints: [SIMD3<Float>]
  /// Whether each of the `scheme.count` points is hidden, nil if not reported; nil if the tracker never reports it.
  package var hiddenPoints: [Bool?]?
  /// The tracker's own box in pixels, which counts where there are no points or only those of eyes, nose and mouth.
  package var ownBox: BoundingBox?
  /// Who it is to the tracker, over the frames of a sequence; nil where it does not report that.
  package var identity: Int?
  /// The 52 coefficients of `Blendshape`, NaN where one is not given; nil where no model gave them.
  package var blendshapes: [Float]?
  /// The head's pose; nil where it was not computed.
  package var pose: HeadPose?
  /// The expression in the tracker's own word; nil where it gives none.
  package var expression: String?
  /// Other numeric output of the tracker, by name; angles in radians.
  package var attributes: [String: Double] = [:]

  /// Makes a prediction; the points count as unsmoothed unless others are given.
  package init(
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

  /// The tight box around the points that are given, in pixels, else the tracker's own box; nil without either.
  ///
  /// Of five or six points the tracker's own box counts first: eyes, nose and mouth span a third of a face. So it does
  /// where less than half of the points are given.
  package var box: BoundingBox? {
    let given = givenPoints
    guard let tight = BoundingBox(around: given) else { return ownBox }
    return isOfInnerPoints || 2 * given.count < points.count ? ownBox ?? tight : tight
  }

  /// Whether `box` covers eyes, nose and mouth alone: of five or six points without a box of the tracker's own.
  package var hasBoxOfInnerPoints: Bool { isOfInnerPoints && ownBox == nil && !givenPoints.isEmpty }

  private var isOfInnerPoints: Bool { scheme?.spansFace == false }

  private var givenPoints: [Point] {
    var given: [Point] = []
    given.reserveCapacity(points.count)
    for point in points where point.x.isFinite && point.y.isFinite {
      given.append(Point(x: Double(point.x), y: Double(point.y)))
    }
    return given
  }
}
