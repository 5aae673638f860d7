/// A tracker's output for one frame.
package struct FramePrediction: Sendable, Hashable {
  /// What became of a frame; raw values are those of the predictions file.
  package enum Status: UInt8, Sendable, Hashable {
    /// The pipeline ran.
    case analysed = 0
    /// The image is broken and nothing ran.
    case broken = 1
    /// A newer frame replaced it in the queue of live mode.
    case dropped = 2
  }

  /// The frame's position in its dataset.
  package var frame: Int
  /// What became of it.
  package var status: Status
  /// The decoded image's size; nil unless the frame was analysed.
  package var size: ImageSize?
  /// Nanoseconds a stage, in the order that the file names; nil where a stage did not run.
  package var stageNanoseconds: [UInt64?]
  /// Numbers of the device at the answer, in the order that the file names; nil where one is unknown.
  package var readings: [Double?] = []
  /// Whether the output that was imported names the frame; one that it does not name has no faces.
  package var isInSource = true
  /// Whether the detector looked at this frame.
  package var detectorRan: Bool
  /// The detections at the operating settings, by descending score; none where the detector did not run.
  package var detections: [FaceDetection]
  /// The detector's output before suppression.
  package var candidates: [DetectorCandidate]
  /// The faces that the tracker gives out, in its order.
  package var faces: [FacePrediction]
  /// Regions that were looked at and given up without presence.
  package var rejected: [FacePrediction]

  /// Makes the prediction of a frame that was analysed.
  package init(
    frame: Int, size: ImageSize, stageNanoseconds: [UInt64?], detectorRan: Bool = true,
    detections: [FaceDetection], candidates: [DetectorCandidate], faces: [FacePrediction] = [],
    rejected: [FacePrediction] = []
  ) {
    self.frame = frame
    status = .analysed
    self.size = size
    self.stageNanoseconds = stageNanoseconds
    self.detectorRan = detectorRan
    self.detections = detections
    self.candidates = candidates
    self.faces = faces
    self.rejected = rejected
  }

  /// Makes the empty prediction of a frame that was not analysed.
  package init(frame: Int, notAnalysed status: Status) {
    self.frame = frame
    self.status = status
    size = nil
    stageNanoseconds = []
    detectorRan = false
    detections = []
    candidates = []
    faces = []
    rejected = []
  }
}
