package import FaceCore
package import Imaging
internal import TFLite

/// A BlazeFace model with its buffers; one for each thread.
package final class FaceDetector {
  /// Decodes the model's output.
  package let decoder: DetectionDecoder
  private let crop: ImageToTensor
  private let session: Session

  /// Prepares to run a loaded model.
  package init(_ model: DetectorModel) {
    decoder = DetectionDecoder(geometry: model.geometry)
    crop = decoder.crop
    session = Session(model.model)
  }

  /// Fills the model's input with a region of an image; returns the matrix that leads results back to it.
  package func prepare(
    _ image: borrowing PixelBuffer, region: NormalizedRect = .whole
  ) throws(ImageError) -> SIMD16<Float> {
    try session.withInput { (tensor: inout MutableSpan<Float>) throws(ImageError) in
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
    session.withOutput(DetectorModel.logits) { logits in
      session.withOutput(DetectorModel.regressors) { regressors in
        DetectorCandidate.all(logits: logits, regressors: regressors, floor: floor)
      }
    }
  }
}
