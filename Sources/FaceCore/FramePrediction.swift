/// All that a tracker said of one frame.
public struct FramePrediction: Sendable, Hashable {
  /// The frame's position in its dataset.
  public var frame: Int
  /// The decoded picture's size; nil where the picture is broken and nothing ran.
  public var size: PictureSize?
  /// Nanoseconds a stage, in the order that the file names.
  public var stageNanoseconds: [UInt64]
  /// The faces at the operating settings, by descending score.
  public var faces: [FaceDetection]
  /// What the detector said before suppression.
  public var candidates: [DetectorCandidate]

  /// Makes a prediction.
  public init(
    frame: Int, size: PictureSize?, stageNanoseconds: [UInt64], faces: [FaceDetection],
    candidates: [DetectorCandidate]
  ) {
    self.frame = frame
    self.size = size
    self.stageNanoseconds = stageNanoseconds
    self.faces = faces
    self.candidates = candidates
  }
}
