package import Foundation
internal import TFLite

/// A landmark model, loaded and checked; shared by any number of landmarkers.
package struct LandmarkModel: Sendable {
  /// Which model it is.
  package let variant: LandmarkVariant
  /// What was loaded.
  package let loaded: LoadedModel
  let model: Model

  /// Loads a model from the user's cache, or from a bundle or folder that the user names.
  package init(_ variant: LandmarkVariant, from models: URL?) throws(ModelStoreError) {
    let side = variant.inputSide
    let bytes = try ModelBytes(variant.model, from: models)
    self.variant = variant
    loaded = LoadedModel(variant.model, bytes)
    model = try bytes.load(
      variant.model, inputs: [[1, side, side, 3]], outputs: variant.outputs)
  }

  /// Multiplications with addition that one run takes.
  package var multiplyAccumulates: Int { model.multiplyAccumulates }
}
