package import FaceCore
package import Imaging
internal import TFLite

/// A detector with its buffers; one for each thread.
package final class FaceDetector {
  /// Decodes the model's output.
  package let decoder: DetectionDecoder
  private let crop: ImageToTensor
  private let session: Session
  private let card: DetectorCard?
  /// Fills the input of a model of the user's.
  private var writer: ModelInput.Writer?
  /// From that model's input to the image.
  private var projection = DetectionDecoder.identity

  /// Prepares to run a loaded model.
  package init(_ model: DetectorModel) {
    decoder = DetectionDecoder(geometry: model.geometry)
    crop = decoder.crop
    session = Session(model.model)
    card = model.card
    writer = model.card.map { ModelInput.Writer($0.card.input) }
  }

  /// Fills the model's input with a region of an image; returns the matrix that leads results back to it.
  package func prepare(
    _ image: borrowing PixelBuffer, region: NormalizedRect = .whole
  ) throws(ImageError) -> SIMD16<Float> {
    if writer != nil {
      projection = try session.withInput { (tensor: inout MutableSpan<Float>) throws(ImageError) in
        try writer?.write(image, region: region, into: &tensor) ?? projection
      }
      return DetectionDecoder.identity
    }
    return try session.withInput { (tensor: inout MutableSpan<Float>) throws(ImageError) in
      try tensor.withUnsafeMutableBufferPointer { (floats) throws(ImageError) in
        try crop.convert(image, region: region, into: floats)
      }
    }
  }

  /// Runs the model.
  package func infer() {
    session.run()
  }

  /// The model's output down to a minimum score.
  package func candidates(floor: Float) -> [DetectorCandidate] {
    if let card { return card.candidates(of: session, floor: floor, projection: projection) }
    return session.withOutput(DetectorModel.logits) { logits in
      session.withOutput(DetectorModel.regressors) { regressors in
        DetectorCandidate.all(logits: logits, regressors: regressors, floor: floor)
      }
    }
  }
}
