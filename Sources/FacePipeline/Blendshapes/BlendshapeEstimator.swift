package import FaceCore
internal import TFLite

/// The blendshape model with its buffers; one for each thread.
package final class BlendshapeEstimator {
  private let session: Session

  /// Prepares to run the loaded model.
  package init(_ model: BlendshapeModel) {
    session = Session(model.model)
  }

  /// The 52 coefficients of 478 normalised landmarks on an image of that size, into `coefficients`.
  ///
  /// Nothing is allocated where they have the room.
  package func blendshapes(
    of landmarks: [SIMD3<Float>], in size: ImageSize, into coefficients: inout [Float]
  ) {
    session.withInput { tensor in
      BlendshapeInput.fill(&tensor, from: landmarks, size: size)
    }
    session.run()
    session.withOutput(0) { span in
      coefficients.removeAll(keepingCapacity: true)
      for position in span.indices { coefficients.append(span[position]) }
    }
  }
}
