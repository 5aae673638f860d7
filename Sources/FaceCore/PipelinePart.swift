/// A part of the face pipeline by its name in files, in the order of the pipeline.
///
/// Records call the parts stages; the stages that are timed are finer.
package enum PipelinePart: String, Sendable, CaseIterable {
  /// Finds faces.
  case detection
  /// Finds the points of a face.
  case landmarks
  /// Smooths the points over time.
  case smoothing
  /// Computes the expression coefficients of a face.
  case blendshapes
  /// Computes the pose of a head.
  case geometry
}
