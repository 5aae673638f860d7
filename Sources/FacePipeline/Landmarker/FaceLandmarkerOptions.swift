/// The settings of the Face Landmarker, by MediaPipe's names and with its defaults.
///
/// The Python package 0.10.21 passes `min_face_detection_confidence` on as the presence threshold too and
/// ignores `min_face_presence_confidence`. Later versions do not, and neither does this one: to compare with
/// that package away from 0.5, give both the same value.
package struct FaceLandmarkerOptions: Sendable, Hashable {
  /// What kind of input comes.
  package var runningMode = RunningMode.image
  /// Which of MediaPipe's platforms to behave as.
  package var compatibility = Compatibility.standard
  /// The most faces of a frame, 1 or more; exactly 1 also smooths in video and live mode.
  package var numFaces = 1
  /// The least score of a detection, in [0, 1].
  package var minFaceDetectionConfidence = 0.5
  /// The presence that a face must exceed to be kept, in [0, 1].
  package var minFacePresenceConfidence = 0.5
  /// Intersection over union above which a new region replaces a tracked one, in [0, 1].
  ///
  /// No score is compared with it. High values give one face twice or more, as in MediaPipe.
  package var minTrackingConfidence = 0.5
  /// Intersection over union above which detections are one face, in [0, 1].
  ///
  /// Nil means what goes with the landmark net: 0.5, or 0.3 with the attention net.
  package var minSuppressionThreshold: Double?
  /// The filters over time, where landmarks are smoothed; MediaPipe's own API has no such option.
  package var smoothing = SmoothingParameters()
  /// Whether to compute expression coefficients.
  package var outputFaceBlendshapes = false
  /// Whether to compute head poses.
  package var outputFacialTransformationMatrixes = false
  /// The least score of the candidates that results hold, in [0, 1]; they need not become detections.
  package var candidateFloor = 0.01

  /// Makes MediaPipe's default settings.
  package init() {}

  /// Whether regions are carried from frame to frame.
  package var tracks: Bool { runningMode != .image && compatibility != .ios }

  /// Whether landmarks are smoothed over time.
  package var smooths: Bool { tracks && numFaces == 1 }

  /// The least score of the candidates that results hold: no detection lacks its candidate.
  package var leastCandidateScore: Double { min(candidateFloor, minFaceDetectionConfidence) }

  /// The suppression threshold that goes with a landmark net, where none was asked for; nil is no net.
  package func suppressionThreshold(with landmarks: LandmarkVariant?) -> Double {
    minSuppressionThreshold ?? (landmarks ?? .v2).suppressionThreshold
  }

  /// Throws the first option that is out of its range.
  ///
  /// MediaPipe checks the presence confidence and `numFaces` only, ignores a detection confidence out of range
  /// and ends the process for a negative tracking confidence.
  package func validate() throws(FaceLandmarkerError) {
    guard numFaces >= 1 else {
      throw FaceLandmarkerError(
        .invalidOption, "make a face landmarker", expected: "numFaces of 1 or more",
        found: "\(numFaces)")
    }
    let fractions = [
      ("minFaceDetectionConfidence", minFaceDetectionConfidence),
      ("minFacePresenceConfidence", minFacePresenceConfidence),
      ("minTrackingConfidence", minTrackingConfidence),
      ("minSuppressionThreshold", minSuppressionThreshold ?? 0),
      ("candidateFloor", candidateFloor),
    ]
    for (name, value) in fractions where !(0...1).contains(value) {
      throw FaceLandmarkerError(
        .invalidOption, "make a face landmarker", expected: "\(name) in [0, 1]",
        found: "\(value)")
    }
    let cutoffs = [
      ("smoothing.minCutoff", smoothing.minCutoff),
      ("smoothing.derivativeCutoff", smoothing.derivativeCutoff),
    ]
    for (name, value) in cutoffs where !(value > 0 && value.isFinite) {
      throw FaceLandmarkerError(
        .invalidOption, "make a face landmarker", expected: "\(name) above 0", found: "\(value)")
    }
    guard smoothing.beta >= 0, smoothing.beta.isFinite else {
      throw FaceLandmarkerError(
        .invalidOption, "make a face landmarker", expected: "smoothing.beta of 0 or more",
        found: "\(smoothing.beta)")
    }
  }
}
