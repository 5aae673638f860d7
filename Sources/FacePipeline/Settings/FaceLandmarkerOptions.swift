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
  /// Maximum number of faces per frame, at least 1; exactly 1 also smooths in video and live mode.
  package var numFaces = 1
  /// Minimum score of a detection, in [0, 1].
  package var minFaceDetectionConfidence = 0.5
  /// The presence that a face must exceed to be kept, in [0, 1].
  package var minFacePresenceConfidence = 0.5
  /// Intersection over union above which a new region replaces a tracked one, in [0, 1].
  ///
  /// No score is compared with it. High values give one face twice or more, as in MediaPipe.
  package var minTrackingConfidence = 0.5
  /// Intersection over union above which detections are one face, in [0, 1].
  ///
  /// Nil means what goes with the landmark model: 0.5, or 0.3 with the attention model.
  package var minSuppressionThreshold: Double?
  /// The filters over time, where landmarks are smoothed; MediaPipe's own API has no such option.
  package var smoothing = SmoothingParameters()
  /// Whether to compute expression coefficients.
  package var outputFaceBlendshapes = false
  /// Whether to compute head poses.
  package var outputFacialTransformationMatrixes = false
  /// Minimum score of the candidates in results, in [0, 1]; they need not become detections.
  package var candidateFloor = 0.01

  /// Makes MediaPipe's default settings.
  package init() {}

  /// Whether regions are carried from frame to frame.
  package var tracks: Bool { runningMode != .image && compatibility != .ios }

  /// Whether landmarks are smoothed over time.
  package var smooths: Bool { tracks && numFaces == 1 }

  /// Minimum score of the candidates in results: every detection has its candidate.
  package var minCandidateScore: Double { min(candidateFloor, minFaceDetectionConfidence) }

  /// The suppression threshold that goes with a landmark model, where none was asked for; nil is no model.
  package func suppressionThreshold(with landmarks: LandmarkVariant?) -> Double {
    minSuppressionThreshold ?? (landmarks ?? .v2).suppressionThreshold
  }

  /// Throws the first option that is out of its range.
  ///
  /// MediaPipe checks the presence confidence and `numFaces` only, ignores a detection confidence out of range
  /// and ends the process for a negative tracking confidence.
  package func validate() throws(FaceLandmarkerError) {
    for setting in PipelineSetting.all { try setting.validate(self) }
    guard (0...1).contains(candidateFloor) else {
      throw FaceLandmarkerError(
        .invalidOption, "make a face landmarker", expected: "candidateFloor from 0 to 1",
        found: "\(candidateFloor)")
    }
  }
}
