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

  /// A face, and the candidates that it was made of.
  package struct DecodedFace: Sendable {
    /// The averaged detection, normalised by the image.
    package let detection: NormalizedDetection
    /// Position of the best candidate, whose score is the face's.
    package let leader: Int
    /// Positions of the averaged candidates by descending score, with their IoU with the leader.
    package let members: [(position: Int, overlap: Float)]
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
    faces(from: candidates, projection: projection, threshold: threshold, overlap: overlap)
      .map(\.detection)
  }

  /// The same faces with the candidates that they were made of, by position; parameters as above.
  package func faces(
    from candidates: [DetectorCandidate], projection: SIMD16<Float>, threshold: Double,
    overlap: Double
  ) -> [DecodedFace] {
    var positions: [Int] = []
    var decoded: [NormalizedDetection] = []
    for (position, candidate) in candidates.enumerated()
    where candidate.score >= Float(threshold) {
      guard let detection = relative(candidate) else { continue }
      positions.append(position)
      decoded.append(detection)
    }
    return WeightedSuppression.groups(of: decoded, overlap: Float(overlap)).map { group in
      DecodedFace(
        detection: WeightedSuppression.mean(of: group, among: decoded).projected(by: projection),
        leader: positions[group.leader],
        members: group.members.map { (positions[$0.position], $0.overlap) })
    }
  }

  /// What a candidate says before suppression, normalised by the image; nil where its box is inside out or NaN.
  package func detection(
    of candidate: DetectorCandidate, projection: SIMD16<Float>
  ) -> NormalizedDetection? {
    relative(candidate)?.projected(by: projection)
  }

  /// The detection before it is projected.
  private func relative(_ candidate: DetectorCandidate) -> NormalizedDetection? {
    guard !geometry.isOfImage else {
      return NormalizedDetection(
        candidate, anchor: SIMD2(), inputSide: geometry.inputSide,
        keypoints: geometry.keypointCount)
    }
    return NormalizedDetection(candidate, anchors: anchors, inputSide: geometry.inputSide)
  }

  /// The matrix that leads from candidates of a region to an image of that size.
  package func projection(of region: NormalizedRect, in size: ImageSize) -> SIMD16<Float> {
    geometry.isOfImage ? Self.identity : crop.projection(of: region, in: size)
  }

  /// The matrix that changes nothing.
  static let identity = SIMD16<Float>(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)

  /// Faces in descending order of score, in pixels of an image of that size.
  package func detections(
    from candidates: [DetectorCandidate], size: ImageSize, threshold: Double, overlap: Double
  ) -> [FaceDetection] {
    normalizedDetections(
      from: candidates, projection: projection(of: .whole, in: size), threshold: threshold,
      overlap: overlap
    )
    .map { $0.inPixels(of: size) }
  }
}
