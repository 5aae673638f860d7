package import FaceCore

/// A model, or table of numbers, that the pipeline knows: what it is for and which files hold it.
package struct ModelDescription: Sendable, Hashable {
  /// Name in the catalogue and in records.
  package let name: String
  /// The part of the pipeline that it serves.
  package let stage: PipelinePart
  /// One sentence for people.
  package let summary: String
  /// Whether the pipeline runs without it; the stage then reports that it has no model.
  package var isOptional = false
  /// Where its bytes are, the first choice first.
  package let locations: [Location]

  /// A file, or a member of a bundle, that holds the model.
  package struct Location: Sendable, Hashable {
    /// The file in the cache folder.
    package let file: ModelFile
    /// Name of the member, where the file is a `.task` bundle.
    package let member: String?
    /// SHA-256 of the model's own bytes, in lower-case hexadecimal.
    package let sha256: String
  }
}
