package import FaceCore
package import Foundation
internal import TFLite

/// A landmark model, loaded and checked; shared by any number of landmarkers.
package struct LandmarkModel: Sendable {
  /// Which of MediaPipe's models it is; nil for a model of the user's.
  package let variant: LandmarkVariant?
  /// The card of a model of the user's; nil for MediaPipe's.
  package let card: LandmarkCard?
  /// What was loaded.
  package let loaded: LoadedModel
  let model: Model

  /// Loads a model from the user's cache, or from a bundle or folder that the user names.
  package init(_ variant: LandmarkVariant, from models: URL?) throws(ModelStoreError) {
    let side = variant.inputSide
    let bytes = try ModelBytes(variant.model, from: models)
    self.variant = variant
    card = nil
    loaded = LoadedModel(variant.model, bytes)
    model = try bytes.load(
      variant.model, inputs: [[1, side, side, 3]], outputs: variant.outputs)
  }

  /// Loads a model of the user's.
  package init(_ card: LandmarkCard) throws(ModelStoreError) {
    (model, loaded) = try card.load()
    variant = nil
    self.card = card
  }

  /// Names and orders its points.
  package var scheme: LandmarkScheme { card?.scheme ?? .mediapipe478 }

  /// Multiplications with addition that one run takes.
  package var multiplyAccumulates: Int { model.multiplyAccumulates }
}
