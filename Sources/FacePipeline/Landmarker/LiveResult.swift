package import Imaging

/// What live mode says of one frame that it analysed.
package struct LiveResult: Sendable {
  /// The frame's time.
  package var timestampMicroseconds: Int64
  /// What the landmarker said, or why the picture could not be analysed.
  package var outcome: Result<FaceLandmarkerResult, PictureError>
  /// Nanoseconds a stage, in the order of `PipelineStage`; nil where a stage did not run.
  package var stageNanoseconds: [UInt64?]
  /// Nanoseconds from the offer to the begin of the analysis.
  package var waitedNanoseconds: UInt64
  /// Times of the frames that were dropped for this one, in order.
  package var droppedTimestamps: [Int64]
}
