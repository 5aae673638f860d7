package import FaceCore

/// A model that a run uses, for records.
package struct LoadedModel: Sendable, Hashable {
  /// Name in the catalogue.
  package let name: String
  /// The part of the pipeline that it serves.
  package let stage: PipelinePart
  /// SHA-256 of the model's bytes, in lower-case hexadecimal.
  package let sha256: String
  /// Whether the bytes are the pinned ones.
  package let isPinned: Bool
  /// What a reader must know of it, part of a sentence; nil for MediaPipe's models.
  package var remark: String?

  /// Names a model that has no pin, such as a head that the user names.
  package init(name: String, stage: PipelinePart, sha256: String, remark: String) {
    (self.name, self.stage, self.sha256, self.remark) = (name, stage, sha256, remark)
    isPinned = true
  }

  init(_ model: ModelDescription, _ bytes: ModelBytes) {
    name = model.name
    stage = model.stage
    sha256 = bytes.sha256
    isPinned = bytes.isPinned(as: model)
  }
}
