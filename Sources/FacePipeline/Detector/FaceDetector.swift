package import FaceCore
package import Imaging
internal import Tensor

/// A detector with its buffers; one for each thread.
package final class FaceDetector {
  /// Decodes the model's output.
  package let decoder: DetectionDecoder
  private let kind: Kind
  private let outputs: [InferencePort]
  private let session: any InferenceSession

  private enum Kind {
    case blazeFace(ImageToTensor)
    case own(DetectorCard, ModelInput.Writer)
  }

  /// Prepares to run a loaded model.
  package init(_ model: DetectorModel) {
    decoder = DetectionDecoder(geometry: model.geometry)
    kind =
      switch model.source {
      case .blazeFace: .blazeFace(decoder.crop)
      case .own(let card): .own(card, ModelInput.Writer(card.card.input))
      }
    outputs = model.model.outputs
    session = model.model.makeSession()
  }

  /// Fills the model's input with a region of an image; returns the matrix that leads results back to it.
  package func prepare(
    _ image: borrowing PixelBuffer, region: NormalizedRect = .whole
  ) throws(ImageError) -> SIMD16<Float> {
    try session.withInput(0) { (tensor: inout MutableTensorView) throws(ImageError) in
      switch kind {
      case .blazeFace(let crop):
        return try tensor.withUnsafeMutableBufferPointer { (floats) throws(ImageError) in
          try crop.convert(image, region: region, into: floats)
        }
      case .own(_, let writer):
        try writer.write(image, region: region, into: &tensor)
        return DetectionDecoder.identity
      }
    }
  }

  /// Runs the model.
  package func infer() {
    session.run()
  }

  /// The model's output down to a minimum score.
  package func candidates(floor: Float) -> [DetectorCandidate] {
    switch kind {
    case .blazeFace:
      session.withOutput(DetectorModel.logits) { logits in
        session.withOutput(DetectorModel.regressors) { regressors in
          DetectorCandidate.all(logits: logits, regressors: regressors, floor: floor)
        }
      }
    case .own(let card, let writer):
      card.candidates(
        of: session, outputs: outputs, floor: floor, projection: writer.projection)
    }
  }
}
