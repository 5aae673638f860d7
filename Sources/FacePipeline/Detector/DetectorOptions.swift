/// The settings of the detection stage, by MediaPipe's names.
package struct DetectorOptions: Sendable, Hashable {
  /// The most faces of a frame that are kept, best score first; 1 or more.
  package var numFaces: Int
  /// The least score of a face, in [0, 1].
  package var minFaceDetectionConfidence: Double
  /// Intersection over union above which boxes are one face, in [0, 1].
  ///
  /// The Face Landmarker uses 0.5, the stand-alone Face Detector 0.3.
  package var minSuppressionThreshold: Double

  /// Makes settings; the defaults are the Face Landmarker's.
  package init(
    numFaces: Int = 1, minFaceDetectionConfidence: Double = 0.5,
    minSuppressionThreshold: Double = 0.5
  ) {
    self.numFaces = numFaces
    self.minFaceDetectionConfidence = minFaceDetectionConfidence
    self.minSuppressionThreshold = minSuppressionThreshold
  }
}
