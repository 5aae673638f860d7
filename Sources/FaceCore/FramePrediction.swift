/// All that a tracker said of one frame.
public struct FramePrediction: Sendable, Hashable {
  /// What became of a frame; raw values are those of the predictions file.
  public enum Status: UInt8, Sendable, Hashable {
    /// The pipeline ran.
    case analysed = 0
    /// The picture is broken and nothing ran.
    case broken = 1
    /// A newer frame took its place in the queue of live mode.
    case dropped = 2
  }

  /// The frame's position in its dataset.
  public var frame: Int
  /// What became of it.
  public var status: Status
  /// The decoded picture's size; nil unless the frame was analysed.
  public var size: PictureSize?
  /// Nanoseconds a stage, in the order that the file names; nil where a stage did not run.
  public var stageNanoseconds: [UInt64?]
  /// Whether the detector looked at this frame.
  public var detectorRan: Bool
  /// The detections at the operating settings, by descending score; none where the detector did not run.
  public var detections: [FaceDetection]
  /// What the detector said before suppression.
  public var candidates: [DetectorCandidate]
  /// The faces that the tracker gives out, in its order.
  public var faces: [FacePrediction]
  /// Regions that were looked at and given up for want of presence.
  public var rejected: [FacePrediction]

  /// Makes the prediction of a frame that was analysed.
  public init(
    frame: Int, size: PictureSize, stageNanoseconds: [UInt64?], detectorRan: Bool = true,
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
  public init(frame: Int, notAnalysed status: Status) {
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
