package import FaceCore
package import Imaging

/// Turns stored candidates into faces at any threshold, without a model.
package struct DetectionDecoder: Sendable {
  /// The model's geometry.
  package let geometry: DetectorGeometry
  private let anchors: [SIMD2<Float>]

  /// Makes a decoder for a detector.
  package init(geometry: DetectorGeometry) {
    self.geometry = geometry
    anchors = geometry.anchors
  }

  /// The crop that feeds the model: the whole image, centred, with black bars.
  package var crop: ImageToTensor {
    ImageToTensor(
      width: geometry.inputSide, height: geometry.inputSide, keepsAspectRatio: true,
      border: .zero, range: -1...1)
  }

  /// Faces in descending order of score, normalised by the image.
  ///
  /// - Parameters:
  ///   - threshold: the minimum score; it also decides which boxes are averaged.
  ///   - overlap: intersection over union above which two boxes are one face.
  ///   - projection: row-major 4 by 4, from the model's input to the image.
  package func normalizedDetections(
    from candidates: [DetectorCandidate], projection: SIMD16<Float>, threshold: Double,
    overlap: Double
  ) -> [NormalizedDetection] {
    let decoded = candidates.compactMap { candidate -> NormalizedDetection? in
      guard candidate.score >= Float(threshold) else { return nil }
      return NormalizedDetection(
        candidate, anchors: anchors, inputSide: geometry.inputSide)
    }
    return WeightedSuppression.apply(to: decoded, overlap: Float(overlap))
      .map { $0.projected(by: projection) }
  }

  /// Faces in descending order of score, in pixels of an image of that size.
  package func detections(
    from candidates: [DetectorCandidate], size: ImageSize, threshold: Double, overlap: Double
  ) -> [FaceDetection] {
    normalizedDetections(
      from: candidates, projection: crop.projection(of: .whole, in: size), threshold: threshold,
      overlap: overlap
    )
    .map { $0.inPixels(of: size) }
  }
}
