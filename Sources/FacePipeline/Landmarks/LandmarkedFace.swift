package import FaceCore

/// The landmarker's output for one region of a frame.
package struct LandmarkedFace: Sendable, Hashable {
  /// The region that the landmark model looked at.
  package var region: NormalizedRect
  /// Whether the region came from the landmarks of the frame before.
  package var isTracked: Bool
  /// The score of the detection that gave the region; nil for a tracked face.
  package var detectionScore: Float?
  /// Probability that a face is there, in [0, 1]; not a number where the model has no output for it.
  package var presence: Float
  /// The logit of `presence`, as the model gave it.
  package var presenceLogit: Float
  /// Probability that the tongue is out, in [0, 1]; nil where the model has no output for it.
  package var tongueOut: Float?
  /// The detector's box in fractions of the image, which counts where there are only five points; nil for MediaPipe's models.
  package var box: NormalizedRect?
  /// Names and orders the points.
  package var scheme = LandmarkScheme.mediapipe478
  /// The points: x over the image's width, y over its height, z over its width; smoothed where smoothing is on.
  package var landmarks: [SIMD3<Float>]
  /// The points before smoothing.
  package var unsmoothedLandmarks: [SIMD3<Float>]
  /// The 52 coefficients of `Blendshape`; nil where they were not computed.
  package var blendshapes: [Float]?
  /// The head's pose; nil where it was not computed or the points are too close to each other.
  package var pose: HeadPose?

  /// No face yet.
  init() {
    self.init(
      region: .whole, isTracked: false, detectionScore: nil, presence: 0, presenceLogit: 0,
      tongueOut: nil, landmarks: [], unsmoothedLandmarks: [])
  }

  /// Joins what is known of a face.
  package init(
    region: NormalizedRect, isTracked: Bool, detectionScore: Float?, presence: Float,
    presenceLogit: Float, tongueOut: Float?, landmarks: [SIMD3<Float>],
    unsmoothedLandmarks: [SIMD3<Float>], blendshapes: [Float]? = nil, pose: HeadPose? = nil
  ) {
    self.region = region
    self.isTracked = isTracked
    self.detectionScore = detectionScore
    self.presence = presence
    self.presenceLogit = presenceLogit
    self.tongueOut = tongueOut
    self.landmarks = landmarks
    self.unsmoothedLandmarks = unsmoothedLandmarks
    self.blendshapes = blendshapes
    self.pose = pose
  }

  /// The face in pixels of an image of that size; with `isSmoothed` the two lists of points differ.
  func prediction(in size: ImageSize, isSmoothed: Bool) -> FacePrediction {
    let scale = SIMD3(Float(size.width), Float(size.height), Float(size.width))
    return FacePrediction(
      region: region, isTracked: isTracked, detectionScore: detectionScore,
      presence: presence.isNaN ? nil : presence, tongueOut: tongueOut, scheme: scheme,
      points: landmarks.map { $0 * scale },
      unsmoothedPoints: isSmoothed ? unsmoothedLandmarks.map { $0 * scale } : nil,
      ownBox: box.map { box in
        BoundingBox(
          x: Double((box.xCenter - box.width / 2) * scale.x),
          y: Double((box.yCenter - box.height / 2) * scale.y),
          width: Double(box.width * scale.x), height: Double(box.height * scale.y))
      },
      blendshapes: blendshapes, pose: pose)
  }
}
