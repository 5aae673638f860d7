package import Imaging

/// The output of live mode for one analysed frame.
package struct LiveResult: Sendable {
  /// The frame's time.
  package var timestampMicroseconds: Int64
  /// The landmarker's result, or why the image could not be analysed.
  package var outcome: Result<FaceLandmarkerResult, ImageError>
  /// Nanoseconds a stage, in the order of `PipelineStage`; nil where a stage did not run.
  package var stageNanoseconds: [UInt64?]
  /// Times of the frames that were dropped for this one, in order.
  package var droppedTimestamps: [Int64]
}
