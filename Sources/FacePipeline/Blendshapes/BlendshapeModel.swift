internal import FaceCore
package import Foundation
package import Platform
package import Tensor

/// The blendshape model, loaded and checked; shared by any number of landmarkers.
package struct BlendshapeModel: Sendable {
  /// What was loaded.
  package let loaded: LoadedModel
  let model: any InferenceModel

  /// Loads the model from the user's cache, or from a bundle or folder that the user names.
  package init(
    from models: URL?, engine: any InferenceModel.Type = ModelCatalog.engine
  ) throws(FileError) {
    let bytes = try ModelBytes(.faceBlendshapes, from: models)
    loaded = LoadedModel(.faceBlendshapes, bytes)
    model = try bytes.load(
      .faceBlendshapes, engine: engine, inputs: [[1, BlendshapeInput.landmarks.count, 2]],
      outputs: [[Blendshape.allCases.count]])
  }
}
