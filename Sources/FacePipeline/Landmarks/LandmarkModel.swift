package import FaceCore
package import Foundation
package import Platform
package import Tensor

/// One of MediaPipe's landmark models, or a model of the user's by its card.
package enum LandmarkSource: Sendable, Hashable {
  /// A model of MediaPipe's.
  case mediaPipe(LandmarkVariant)
  /// A model of the user's.
  case own(LandmarkCard)

  /// Which of MediaPipe's models it is; nil for a model of the user's.
  var variant: LandmarkVariant? {
    if case .mediaPipe(let variant) = self { variant } else { nil }
  }

  /// Names and orders its points.
  var scheme: LandmarkScheme {
    switch self {
    case .mediaPipe: .mediapipe478
    case .own(let card): card.scheme
    }
  }

  /// Whether it has an output for the presence of a face.
  var givesPresence: Bool {
    switch self {
    case .mediaPipe: true
    case .own(let card): card.presence != nil
    }
  }

  /// The part of the image that it looks at for a detection.
  func region(of detection: NormalizedDetection, in size: ImageSize) -> FaceRegion {
    switch self {
    case .mediaPipe(let variant):
      FaceRegion(
        region: variant.region(of: detection, in: size), detectionScore: detection.score)
    case .own(let card):
      FaceRegion(
        region: card.region(of: detection, in: size), detectionScore: detection.score,
        box: NormalizedRect(
          xCenter: detection.xmin + detection.width / 2,
          yCenter: detection.ymin + detection.height / 2, width: detection.width,
          height: detection.height))
    }
  }
}

/// A landmark model, loaded and checked; shared by any number of landmarkers.
package struct LandmarkModel: Sendable {
  /// Whose model it is.
  package let source: LandmarkSource
  /// What was loaded.
  package let loaded: LoadedModel
  let model: any InferenceModel

  /// Loads one of MediaPipe's models from the user's cache or a bundle or folder, or a model of the user's.
  package init(
    _ source: LandmarkSource, from models: URL? = nil,
    engine: any InferenceModel.Type = ModelCatalog.engine
  ) throws(FileError) {
    self.source = source
    switch source {
    case .mediaPipe(let variant):
      let side = variant.inputSide
      let bytes = try ModelBytes(variant.model, from: models)
      loaded = LoadedModel(variant.model, bytes)
      model = try bytes.load(
        variant.model, engine: engine, inputs: [[1, side, side, 3]], outputs: variant.outputs)
    case .own(let card):
      (model, loaded) = try card.load(engine: engine)
    }
  }

  /// Which of MediaPipe's models it is; nil for a model of the user's.
  package var variant: LandmarkVariant? { source.variant }

  /// Names and orders its points.
  package var scheme: LandmarkScheme { source.scheme }
}
