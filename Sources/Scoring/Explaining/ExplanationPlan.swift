package import FaceCore
internal import FacePipeline
package import Running

/// What is to be explained, and with which settings.
package struct ExplanationPlan: Sendable {
  /// A frame of a dataset.
  package enum FrameChoice: Sendable, Hashable {
    /// By its position, from 0.
    case index(Int)
    /// By its name.
    case name(String)
  }

  /// A place of the image, in pixels.
  package enum Place: Sendable, Hashable {
    case point(Point)
    case box(BoundingBox)
  }

  /// The pipeline's settings; its dataset is the image or the dataset, its run is not used.
  package var pipeline: RunPlan
  /// The frame of a dataset; nil for an image file.
  package var frame: FrameChoice?
  /// The place that is asked about; nil means the labelled faces of a dataset's frame, if it has any.
  package var place: Place?
  /// How many candidates that none suppresses the landmark model looks at, 1 or more.
  package var looks = 8
  /// Longest side of the drawing in pixels.
  package var drawingSide = 1600

  /// Plans to explain an image or a frame of a dataset.
  package init(_ pipeline: RunPlan) {
    self.pipeline = pipeline
    self.pipeline.settings.runningMode = .image
  }
}
