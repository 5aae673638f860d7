/// A frame with labels, predictions, and what is right and wrong in it.
package struct FrameEntry: Sendable {
  /// A detection that passes the settings.
  package struct Detection: Sendable {
    /// Confidence in [0, 1].
    package var score: Double
    /// Whether it is on a labelled face; nil for one on an ignored label.
    package var isTrue: Bool?

    /// A score and what it is on.
    package init(score: Double, isTrue: Bool?) {
      self.score = score
      self.isTrue = isTrue
    }
  }

  /// The frame.
  package var frame: Frame
  /// Name of its clip; nil for a still.
  package var video: String?
  /// The labelled faces.
  package var labels: [FaceLabel]
  /// What counts of the tracker's output.
  package var prediction: FramePrediction
  /// Positions of the labels that were not found.
  package var missed: Set<Int> = []
  /// Positions of the faces that match no label.
  package var unmatched: Set<Int> = []
  /// Positions of the prediction's detections that match no label.
  package var falseDetections: Set<Int> = []
  /// Whether the tracker repeats its last values, so that its faces count as lost.
  package var isFrozen = false
  /// Missed faces and false positives; without labels, faces that are gone.
  package var errorCount = 0
  /// NME by interocular distance of each labelled face, ∞ for a missed one.
  package var errors: [Double] = []
  /// The detections that rankings count, down to the lowest score.
  package var ranked: [Detection] = []
  /// Those that pass the settings; nil where the detector did not run or nothing is labelled.
  package var kept: [Detection]?
  /// Whether nobody labelled the frame, so that no metric of detections counts it.
  package var isUnlabelled = false
  /// How many labelled faces detections should find.
  package var labelledCount = 0
  /// Time of the frame in milliseconds; nil where it was not measured.
  package var milliseconds: Double?
  /// The expression that the first labelled face has, and that of the first predicted one; nil for none.
  package var expressions: (labelled: String?, predicted: String?) = (nil, nil)
  /// Names of the slices that the frame, or one of its labelled faces, belongs to.
  package var slices: [String] = []

  /// A frame with its labels and prediction.
  package init(
    frame: Frame, video: String? = nil, labels: [FaceLabel], prediction: FramePrediction
  ) {
    self.frame = frame
    self.video = video
    self.labels = labels
    self.prediction = prediction
  }
}

/// A small JPEG of a frame.
package struct FrameThumbnail: Sendable {
  /// Position of the frame in the dataset.
  package var frame: Int
  /// The JPEG.
  package var jpeg: [UInt8]

  /// A frame's JPEG.
  package init(frame: Int, jpeg: [UInt8]) {
    self.frame = frame
    self.jpeg = jpeg
  }
}
