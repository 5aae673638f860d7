package import FaceCore
package import Imaging
internal import TFLite

/// A landmark net with its buffers; one for each thread.
package final class LandmarkEstimator {
  /// What the net said of one region, besides the landmarks.
  package struct Reading: Sendable {
    /// The logit of a face being there.
    package var presenceLogit: Float
    /// Probability that the tongue is out; nil where the net does not say.
    package var tongueOut: Float?
  }

  private let variant: LandmarkVariant
  private let crop: ImageToTensor
  private let session: Session
  /// The points of the attention net's outputs together.
  private var refined: [Float] = []

  /// Prepares to run a loaded net.
  package init(_ net: LandmarkNet) {
    variant = net.variant
    crop = ImageToTensor(
      width: net.variant.inputSide, height: net.variant.inputSide, keepsAspectRatio: false,
      border: .replicate, range: 0...1)
    session = Session(net.model)
  }

  /// Fills the net's input `[1, side, side, 3]` with a region, stretched to it.
  package func prepare(
    _ picture: borrowing PixelBuffer, region: NormalizedRect
  ) throws(PictureError) {
    try session.withInput { (tensor: inout MutableSpan<Float>) throws(PictureError) in
      _ = try tensor.withUnsafeMutableBufferPointer { (floats) throws(PictureError) in
        try crop.convert(picture, region: region, into: floats)
      }
    }
  }

  /// Runs the net.
  package func infer() {
    session.run()
  }

  /// What the last run said, in the coordinates of a picture of that size.
  ///
  /// `landmarks` become the 478 points: x over the picture's width, y over its height, z over its width. Nothing is
  /// allocated where they have the room.
  package func reading(
    of region: NormalizedRect, in size: PictureSize, landmarks: inout [SIMD3<Float>]
  ) -> Reading {
    let side = variant.inputSide
    func value(_ output: Int) -> Float { session.withOutput(output) { $0[0] } }
    switch variant {
    case .v2:
      session.withOutput(0) { raw in
        LandmarkDecoding.project(
          raw, inputSide: side, region: region, size: size, into: &landmarks)
      }
      return Reading(presenceLogit: value(1), tongueOut: value(2))
    case .attention:
      refine()
      LandmarkDecoding.project(
        refined.span, inputSide: side, squareRegion: region, into: &landmarks)
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
                  mesh: mesh, lips: lips, leftEye: leftEye, rightEye: rightEye,
                  leftIris: leftIris, rightIris: rightIris, into: &refined)
              }
            }
          }
        }
      }
    }
  }
}
