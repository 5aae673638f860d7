package import FaceCore
package import Imaging
internal import Tensor

/// A landmark model with its buffers; one for each thread.
package final class LandmarkEstimator {
  /// The model's output for one region except the landmarks.
  package struct Reading: Sendable {
    /// The logit of a face being there.
    package var presenceLogit: Float
    /// Probability that the tongue is out; nil where the model has no output for it.
    package var tongueOut: Float?
  }

  private let kind: Kind
  private let session: any InferenceSession
  /// The points of the attention model's outputs together.
  private var refined: [Float] = []

  /// Prepares to run a loaded model.
  package init(_ model: LandmarkModel) {
    session = model.model.makeSession()
    kind =
      switch model.source {
      case .mediaPipe(let variant):
        .mediaPipe(
          variant,
          ImageToTensor(
            width: variant.inputSide, height: variant.inputSide, keepsAspectRatio: false,
            border: .replicate, range: 0...1))
      case .own(let card): .own(card, ModelInput.Writer(card.card.input))
      }
  }

  private enum Kind {
    case mediaPipe(LandmarkVariant, ImageToTensor)
    case own(LandmarkCard, ModelInput.Writer)
  }

  /// Fills the model's input `[1, side, side, 3]` with a region, stretched to it.
  package func prepare(
    _ image: borrowing PixelBuffer, region: NormalizedRect
  ) throws(ImageError) {
    try session.withInput(0) { (tensor: inout MutableTensorView) throws(ImageError) in
      switch kind {
      case .own(_, let writer): try writer.write(image, region: region, into: &tensor)
      case .mediaPipe(_, let crop):
        _ = try tensor.withUnsafeMutableBufferPointer { (floats) throws(ImageError) in
          try crop.convert(image, region: region, into: floats)
        }
      }
    }
  }

  /// Runs the model.
  package func infer() {
    session.run()
  }

  /// The output of the last run, in the coordinates of an image of that size.
  ///
  /// `landmarks` become the points of the model's scheme: x over the image's width, y over its height, z over its width. Nothing is
  /// allocated where they have the room.
  package func reading(
    of region: NormalizedRect, in size: ImageSize, landmarks: inout [SIMD3<Float>]
  ) -> Reading {
    func value(_ output: Int, _ column: Int = 0) -> Float {
      session.withOutput(output) { $0[column] }
    }
    switch kind {
    case .own(let card, _):
      session.withOutput(card.output) { card.decode($0, region: region, into: &landmarks) }
      return Reading(presenceLogit: card.presenceLogit { value($0, $1) })
    case .mediaPipe(.v2, let crop):
      let side = crop.width
      session.withOutput(0) { raw in
        LandmarkDecoding.project(
          raw, inputSide: side, region: region, size: size, into: &landmarks)
      }
      return Reading(presenceLogit: value(1), tongueOut: value(2))
    case .mediaPipe(.attention, let crop):
      let side = crop.width
      refine()
      refined.withTensorView {
        LandmarkDecoding.project($0, inputSide: side, squareRegion: region, into: &landmarks)
      }
      return Reading(presenceLogit: value(6))
    }
  }

  private func refine() {
    session.withOutput(0) { mesh in
      session.withOutput(1) { lips in
        session.withOutput(2) { leftEye in
          session.withOutput(3) { rightEye in
            session.withOutput(4) { leftIris in
              session.withOutput(5) { rightIris in
                AttentionRefinement.points(
                  mesh: mesh, lips: lips, imageLeftEye: leftEye, imageRightEye: rightEye,
                  leftIris: leftIris, rightIris: rightIris, into: &refined)
              }
            }
          }
        }
      }
    }
  }
}
