package import FaceCore
internal import Tensor

/// The blendshape model, or a head in its place, with its buffers; one for each thread.
package final class BlendshapeEstimator {
  private enum Engine {
    case model(any InferenceSession)
    case head(HeadRegressor)
  }

  private var engine: Engine

  /// Prepares to run what was loaded.
  package init(_ source: BlendshapeSource) {
    engine =
      switch source {
      case .model(let model): .model(model.model.makeSession())
      case .head(let head, _): .head(HeadRegressor(head))
      }
  }

  /// The 52 coefficients of 478 normalised landmarks on an image of that size, into `coefficients`.
  ///
  /// Nothing is allocated where they have the room. NaN stands for a coefficient that a head does not give.
  package func blendshapes(
    of landmarks: [SIMD3<Float>], in size: ImageSize, into coefficients: inout [Float]
  ) {
    switch engine {
    case .model(let session):
      session.withInput(0) { tensor in
        BlendshapeInput.fill(&tensor, from: landmarks, size: size)
      }
      session.run()
      session.withOutput(0) { scores in
        coefficients.removeAll(keepingCapacity: true)
        coefficients.append(contentsOf: scores)
      }
    case .head(let regressor):
      regressor.run(on: landmarks, in: size, into: &coefficients)
    }
  }
}

/// What gives the coefficients of a face.
package enum BlendshapeSource: Sendable {
  /// MediaPipe's blendshape model.
  case model(BlendshapeModel)
  /// A head that was fitted, and how records name it.
  case head(BlendshapeHead, LoadedModel)

  /// What was loaded.
  package var loaded: LoadedModel {
    switch self {
    case .model(let model): model.loaded
    case .head(_, let loaded): loaded
    }
  }

  /// MediaPipe's model; nil for a head.
  package var model: BlendshapeModel? {
    if case .model(let model) = self { model } else { nil }
  }
}
