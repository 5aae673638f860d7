package import FacePipeline

/// A number of the pipeline that a sweep can vary, by its option's name.
package enum SweepKnob: String, Sendable, CaseIterable {
  case minFaceDetectionConfidence = "min-face-detection-confidence"
  case minFacePresenceConfidence = "min-face-presence-confidence"
  case minTrackingConfidence = "min-tracking-confidence"
  case minSuppressionThreshold = "min-suppression-threshold"
  case smoothingMinCutoff = "smoothing-min-cutoff"
  case smoothingBeta = "smoothing-beta"
  case smoothingDerivativeCutoff = "smoothing-derivative-cutoff"

  /// The values that make sense.
  package var range: ClosedRange<Double> {
    switch self {
    case .minFaceDetectionConfidence, .minFacePresenceConfidence, .minTrackingConfidence,
      .minSuppressionThreshold:
      0...1
    case .smoothingMinCutoff, .smoothingDerivativeCutoff: 1e-6...1e6
    case .smoothingBeta: 0...1e6
    }
  }

  /// What the number is, with its unit.
  package var meaning: String {
    switch self {
    case .minFaceDetectionConfidence: "least score of a detection"
    case .minFacePresenceConfidence: "presence that a face must exceed"
    case .minTrackingConfidence: "IoU above which a detection replaces a tracked face"
    case .minSuppressionThreshold: "IoU above which two detections are one face"
    case .smoothingMinCutoff: "One-Euro cutoff at rest, Hz"
    case .smoothingBeta: "One-Euro rise of the cutoff with speed, Hz per object size a second"
    case .smoothingDerivativeCutoff: "One-Euro cutoff of the speed, Hz"
    }
  }

  /// Its unit; `1` for a plain number.
  var unit: String {
    switch self {
    case .smoothingMinCutoff, .smoothingDerivativeCutoff: "Hz"
    case .smoothingBeta: "Hz per object size/s"
    default: "1"
    }
  }

  /// Sets it.
  package func set(_ value: Double, in options: inout FaceLandmarkerOptions) {
    switch self {
    case .minFaceDetectionConfidence: options.minFaceDetectionConfidence = value
    case .minFacePresenceConfidence: options.minFacePresenceConfidence = value
    case .minTrackingConfidence: options.minTrackingConfidence = value
    case .minSuppressionThreshold: options.minSuppressionThreshold = value
    case .smoothingMinCutoff: options.smoothing.minCutoff = value
    case .smoothingBeta: options.smoothing.beta = value
    case .smoothingDerivativeCutoff: options.smoothing.derivativeCutoff = value
    }
  }

  /// What it is in some options.
  package func value(in options: FaceLandmarkerOptions, landmarks: LandmarkVariant?) -> Double {
    switch self {
    case .minFaceDetectionConfidence: options.minFaceDetectionConfidence
    case .minFacePresenceConfidence: options.minFacePresenceConfidence
    case .minTrackingConfidence: options.minTrackingConfidence
    case .minSuppressionThreshold: options.suppressionThreshold(with: landmarks)
    case .smoothingMinCutoff: options.smoothing.minCutoff
    case .smoothingBeta: options.smoothing.beta
    case .smoothingDerivativeCutoff: options.smoothing.derivativeCutoff
    }
  }

  /// Why it cannot change anything with these options; nil where it can.
  func idleReason(with options: FaceLandmarkerOptions) -> String? {
    switch self {
    case .minFaceDetectionConfidence, .minFacePresenceConfidence, .minSuppressionThreshold: nil
    case .minTrackingConfidence:
      !options.tracks
        ? "each frame is taken by itself, nothing is tracked"
        : options.numFaces == 1
          ? "it is an overlap threshold, not a score: with one face the detector does not run while "
            + "a face is tracked, so that there is nothing to overlap" : nil
    case .smoothingMinCutoff, .smoothingBeta, .smoothingDerivativeCutoff:
      options.smooths ? nil : "only video mode with num-faces 1 smooths"
    }
  }
}
