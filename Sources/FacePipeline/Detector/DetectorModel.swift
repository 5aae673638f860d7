package import Foundation
package import Platform
package import Tensor

/// One of MediaPipe's detectors, or a model of the user's by its card.
package enum DetectorSource: Sendable, Hashable {
  /// A detector of MediaPipe's.
  case blazeFace(DetectorVariant)
  /// A model of the user's.
  case own(DetectorCard)
}

/// A detector's model, loaded and checked; shared by any number of `FaceDetector`s.
package struct DetectorModel: Sendable {
  /// What was loaded.
  package let loaded: LoadedModel
  /// What its numbers mean.
  package let geometry: DetectorGeometry
  let source: DetectorSource
  let model: any InferenceModel

  /// Position of the boxes and points among the outputs.
  static let regressors = 0
  /// Position of the scores among the outputs.
  static let logits = 1

  /// Loads one of MediaPipe's models from the user's cache or a file or folder, or a model of the user's.
  package init(
    _ source: DetectorSource, from models: URL? = nil,
    engine: any InferenceModel.Type = ModelCatalog.engine
  ) throws(FileError) {
    self.source = source
    switch source {
    case .blazeFace(let variant):
      let bytes = try ModelBytes(variant.model, from: models)
      loaded = LoadedModel(variant.model, bytes)
      geometry = variant.geometry
      let side = geometry.inputSide
      let count = geometry.anchorCount
      model = try bytes.load(
        variant.model, engine: engine, inputs: [[1, side, side, 3]],
        outputs: [[1, count, 16], [1, count, 1]])
    case .own(let card):
      (model, loaded) = try card.load(engine: engine)
      geometry = .ofImage(keypoints: card.keypointCount)
    }
  }
}
