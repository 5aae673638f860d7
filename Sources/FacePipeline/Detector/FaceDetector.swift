package import FaceCore
package import Imaging
internal import TFLite

/// A BlazeFace net with its buffers; one for each thread.
package final class FaceDetector {
  /// Decodes what the net says.
  package let decoder: DetectionDecoder
  private let crop: ImageToTensor
  private let session: Session

  /// Prepares to run a loaded net.
  package init(_ net: DetectorNet) {
    decoder = DetectionDecoder(geometry: net.geometry)
    crop = decoder.crop
    session = Session(net.model)
  }

  /// Fills the net's input with a region of a picture; returns the matrix that leads results back to it.
  package func prepare(
    _ picture: borrowing PixelBuffer, region: NormalizedRect = .whole
  ) throws(PictureError) -> SIMD16<Float> {
    try session.withInput { (tensor: inout MutableSpan<Float>) throws(PictureError) in
      try tensor.withUnsafeMutableBufferPointer { (floats) throws(PictureError) in
        try crop.convert(picture, region: region, into: floats)
      }
    }
  }

  /// Runs the net.
  package func infer() {
    session.run()
  }

  /// What the net said, down to a score.
  package func candidates(floor: Float) -> [DetectorCandidate] {
    session.withOutput(DetectorNet.logits) { logits in
      session.withOutput(DetectorNet.regressors) { regressors in
        DetectorCandidate.all(logits: logits, regressors: regressors, floor: floor)
      }
    }
  }
}
