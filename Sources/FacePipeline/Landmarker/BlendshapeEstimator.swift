package import FaceCore
internal import TFLite

/// The blendshape net with its buffers; one for each thread.
package final class BlendshapeEstimator {
  private let session: Session

  /// Prepares to run the loaded net.
  package init(_ net: BlendshapeNet) {
    session = Session(net.model)
  }

  /// The 52 coefficients of 478 normalised landmarks on a picture of that size, into `coefficients`.
  ///
  /// Nothing is allocated where they have the room.
  package func blendshapes(
    of landmarks: [SIMD3<Float>], in size: PictureSize, into coefficients: inout [Float]
  ) {
    session.withInput { tensor in
      BlendshapeInput.fill(&tensor, from: landmarks, size: size)
    }
    session.run()
    session.withOutput(0) { span in
      coefficients.removeAll(keepingCapacity: true)
      for place in span.indices { coefficients.append(span[place]) }
    }
  }
}
