package import FaceCore

/// A detection in coordinates where the image, or the model's input, spans [0, 1].
package struct NormalizedDetection: Sendable, Hashable {
  /// Confidence in [0, 1].
  package var score: Float
  /// Left edge.
  package var xmin: Float
  /// Top edge.
  package var ymin: Float
  /// Width.
  package var width: Float
  /// Height.
  package var height: Float
  /// Right eye, left eye, nose tip, mouth centre, right and left ear tragion; of a model of the user's its own.
  package var keypoints: [SIMD2<Float>]

  /// Decodes a candidate into the model's input coordinates; nil where the box is inside out or NaN.
  package init?(_ candidate: DetectorCandidate, anchors: [SIMD2<Float>], inputSide: Int) {
    guard anchors.indices.contains(candidate.anchor) else { return nil }
    self.init(
      candidate, anchor: anchors[candidate.anchor], inputSide: inputSide,
      keypoints: DetectorGeometry.maximumKeypoints)
  }

  /// Decodes a candidate that is relative to a point; nil where the box is inside out or NaN.
  init?(_ candidate: DetectorCandidate, anchor: SIMD2<Float>, inputSide: Int, keypoints count: Int)
  {
    let side = Float(inputSide)
    let values = candidate.regressors
    let x = values[0] / side + anchor.x
    let y = values[1] / side + anchor.y
    let w = values[2] / side
    let h = values[3] / side
    let (left, top) = (x - w / 2, y - h / 2)
    let (right, bottom) = (x + w / 2, y + h / 2)
    let (boxWidth, boxHeight) = (right - left, bottom - top)
    guard boxWidth >= 0, boxHeight >= 0 else { return nil }
    score = candidate.score
    xmin = left
    ymin = top
    width = boxWidth
    height = boxHeight
    keypoints = (0..<count).map { k in
      SIMD2(values[4 + 2 * k] / side + anchor.x, values[5 + 2 * k] / side + anchor.y)
    }
  }

  /// The box as overlaps are computed from it.
  var box: UprightBox { UprightBox(xmin: xmin, ymin: ymin, width: width, height: height) }

  /// Maps from the model's input to the image by the 4×4 row-major matrix of the crop.
  func projected(by matrix: SIMD16<Float>) -> NormalizedDetection {
    func map(_ x: Float, _ y: Float) -> SIMD2<Float> {
      SIMD2(
        x * matrix[0] + y * matrix[1] + matrix[3], x * matrix[4] + y * matrix[5] + matrix[7])
    }
    let corners = [
      map(xmin, ymin), map(xmin + width, ymin), map(xmin + width, ymin + height),
      map(xmin, ymin + height),
    ]
    let low = corners.dropFirst().reduce(corners[0]) { pointwiseMin($0, $1) }
    let high = corners.dropFirst().reduce(corners[0]) { pointwiseMax($0, $1) }
    var result = self
    result.xmin = low.x
    result.ymin = low.y
    result.width = high.x - low.x
    result.height = high.y - low.y
    result.keypoints = keypoints.map { map($0.x, $0.y) }
    return result
  }

  /// The detection in pixels of an image of that size.
  package func inPixels(of size: ImageSize) -> FaceDetection {
    let (w, h) = (Double(size.width), Double(size.height))
    return FaceDetection(
      box: BoundingBox(
        x: Double(xmin) * w, y: Double(ymin) * h, width: Double(width) * w,
        height: Double(height) * h),
      score: Double(score),
      keypoints: keypoints.map { Point(x: Double($0.x) * w, y: Double($0.y) * h) })
  }
}
