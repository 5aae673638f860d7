internal import TFLite
package import Tensor

/// Every model that the pipeline can run, and the mesh that it fits.
package enum ModelCatalog {
  /// The models, in the order of the pipeline.
  package static let all: [ModelDescription] = [
    .blazeFaceShortRange,
    .blazeFaceFullRange,
    .faceLandmarksV2,
    .faceLandmarksAttention,
    .faceBlendshapes,
    .faceGeometryMetadata,
  ]

  /// The engine that loads and runs the models.
  package static let engine: any InferenceModel.Type = Model.self

  /// The files that the models come in, each once.
  package static var files: [ModelFile] {
    var seen: Set<String> = []
    return all.flatMap(\.locations).map(\.file).filter { seen.insert($0.name).inserted }
  }
}
