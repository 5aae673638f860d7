package import FaceCore

/// The landmarker's output for one frame, including values that MediaPipe does not expose.
package struct FaceLandmarkerResult: Sendable, Hashable {
  /// The frame's time; nil in image mode.
  package var timestampMicroseconds: Int64?
  /// The image's size.
  package var size: ImageSize
  /// Whether the detector looked at this frame.
  package var detectorRan: Bool
  /// At most `numFaces` detections by descending score; none where the detector did not run.
  package var detections: [NormalizedDetection]
  /// The detector's output before suppression, down to `candidateFloor`.
  package var candidates: [DetectorCandidate]
  /// The faces, in MediaPipe's order.
  package var faces: [LandmarkedFace]
  /// Regions that were looked at and given up without presence.
  package var rejected: [LandmarkedFace]
  /// Whether `faces` went through the filters over time.
  package var isSmoothed: Bool

  /// No frame yet.
  package init() {
    self.init(
      timestampMicroseconds: nil, size: ImageSize(width: 0, height: 0), detectorRan: false,
      isSmoothed: false)
  }

  /// A frame without faces yet.
  package init(
    timestampMicroseconds: Int64?, size: ImageSize, detectorRan: Bool,
    detections: [NormalizedDetection] = [], isSmoothed: Bool
  ) {
    self.timestampMicroseconds = timestampMicroseconds
    self.size = size
    self.detectorRan = detectorRan
    self.detections = detections
    candidates = []
    faces = []
    rejected = []
    self.isSmoothed = isSmoothed
  }

  /// The frame as predictions files have it, in pixels.
  package func prediction(frame: Int, stageNanoseconds: [UInt64?]) -> FramePrediction {
    FramePrediction(
      frame: frame, size: size, stageNanoseconds: stageNanoseconds, detectorRan: detectorRan,
      detections: detections.map { $0.inPixels(of: size) }, candidates: candidates,
      faces: faces.map { $0.prediction(in: size, isSmoothed: isSmoothed) },
      rejected: rejected.map { $0.prediction(in: size, isSmoothed: false) })
  }
}
