internal import FaceCore
package import Foundation
internal import TFLite

/// The blendshape model, loaded and checked; shared by any number of landmarkers.
package struct BlendshapeModel: Sendable {
  /// What was loaded.
  package let loaded: LoadedModel
  let model: Model

  /// Loads the model from the user's cache, or from a bundle or folder that the user names.
  package init(from models: URL?) throws(ModelStoreError) {
    let bytes = try ModelBytes(.faceBlendshapes, from: models)
    loaded = LoadedModel(.faceBlendshapes, bytes)
    model = try bytes.load(
      .faceBlendshapes, inputs: [[1, BlendshapeInput.landmarks.count, 2]],
      outputs: [[Blendshape.allCases.count]])
  }

  /// Multiplications with addition that one run takes.
  package var multiplyAccumulates: Int { model.multiplyAccumulates }
}
