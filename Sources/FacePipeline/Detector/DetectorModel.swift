package import Foundation
internal import TFLite

/// A detector's model, loaded and checked; shared by any number of `FaceDetector`s.
package struct DetectorModel: Sendable {
  /// What was loaded.
  package let loaded: LoadedModel
  /// What its numbers mean.
  package let geometry: DetectorGeometry
  let model: Model
  /// The card of a model of the user's; nil for BlazeFace.
  let card: DetectorCard?

  /// Position of the boxes and points among the outputs.
  static let regressors = 0
  /// Position of the scores among the outputs.
  static let logits = 1

  /// Loads a model from the user's cache, or from a file or folder that the user names.
  package init(_ variant: DetectorVariant, from models: URL?) throws(ModelStoreError) {
    let bytes = try ModelBytes(variant.model, from: models)
    loaded = LoadedModel(variant.model, bytes)
    geometry = variant.geometry
    card = nil
    let side = geometry.inputSide
    let count = geometry.anchorCount
    model = try bytes.load(
      variant.model, inputs: [[1, side, side, 3]], outputs: [[1, count, 16], [1, count, 1]])
  }

  /// Loads a model of the user's.
  package init(_ card: DetectorCard) throws(ModelStoreError) {
    (model, loaded) = try card.load()
    geometry = .ofImage(keypoints: card.keypointCount)
    self.card = card
  }

  /// Multiplications with addition that one run takes.
  package var multiplyAccumulates: Int { model.multiplyAccumulates }
}
