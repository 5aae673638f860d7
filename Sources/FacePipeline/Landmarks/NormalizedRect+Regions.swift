package import FaceCore
internal import Foundation

/// Where the landmark stage looks: MediaPipe's rectangles, in its single precision.
extension NormalizedRect {
  /// The region around a detection, turned so that its eyes lie level, and 1.5 times its size.
  ///
  /// Face Landmarker leaves the sides as they are; the older graphs make the region square in pixels first. A
  /// detection without two points is not turned.
  package init(detection: NormalizedDetection, size: ImageSize, squared: Bool = false) {
    let eyes = detection.keypoints
    self.init(
      box: detection.box, size: size,
      rotation: eyes.count > 1 ? Self.rotation(from: eyes[0], to: eyes[1], size: size) : 0,
      squared: squared)
  }

  /// The region around an upright box in pixels, such as a labelled one: square in pixels, 1.5 times the longer side.
  package init(box: BoundingBox, in size: ImageSize) {
    let (columns, rows) = (Double(size.width), Double(size.height))
    self.init(
      box: UprightBox(
        xmin: Float(box.x / columns), ymin: Float(box.y / rows), width: Float(box.width / columns),
        height: Float(box.height / rows)),
      size: size, rotation: 0, squared: true)
  }

  /// The region to look at in the next frame: square in pixels, turned by the outer eye corners, 1.5 times the tight box.
  ///
  /// Landmarks are normalised: x over width, y over height. Points that are not there turn nothing.
  package init(landmarks: [SIMD3<Float>], size: ImageSize) {
    // MediaPipe's maxima start at the smallest positive number.
    var low = SIMD2<Float>(repeating: .greatestFiniteMagnitude)
    var high = SIMD2<Float>(repeating: .leastNormalMagnitude)
    for point in landmarks {
      low = SIMD2(min(low.x, point.x), min(low.y, point.y))
      high = SIMD2(max(high.x, point.x), max(high.y, point.y))
    }
    let (right, left) = (33, 263)
    func corner(_ index: Int) -> SIMD2<Float> { SIMD2(landmarks[index].x, landmarks[index].y) }
    self.init(
      box: UprightBox(
        xmin: low.x, ymin: low.y, width: high.x - low.x, height: high.y - low.y),
      size: size,
      rotation: landmarks.count > left
        ? Self.rotation(from: corner(right), to: corner(left), size: size) : 0,
      squared: true)
  }

  /// Intersection over union of the rectangles as if neither were turned, in [0, 1].
  package func overlap(with other: NormalizedRect) -> Float {
    unturned.iou(with: other.unturned)
  }

  private var unturned: UprightBox {
    UprightBox(
      xmin: Float(Double(xCenter) - Double(width) / 2),
      ymin: Float(Double(yCenter) - Double(height) / 2), width: width, height: height)
  }

  private init(box: UprightBox, size: ImageSize, rotation: Float, squared: Bool) {
    var (width, height) = (box.width, box.height)
    if squared {
      let (columns, rows) = (Float(size.width), Float(size.height))
      let side = max(width * columns, height * rows)
      (width, height) = (side / columns, side / rows)
    }
    self.init(
      xCenter: box.xmin + box.width / 2, yCenter: box.ymin + box.height / 2, width: width * 1.5,
      height: height * 1.5, rotation: rotation)
  }

  /// The clockwise angle of the line from one normalised point to another, in [-π, π).
  private static func rotation(
    from start: SIMD2<Float>, to end: SIMD2<Float>, size: ImageSize
  ) -> Float {
    let (width, height) = (Float(size.width), Float(size.height))
    let rise = end.y * height - start.y * height
    let run = end.x * width - start.x * width
    let angle = Double(0 - atan2f(-rise, run))
    return Float(angle - 2 * .pi * ((angle + .pi) / (2 * .pi)).rounded(.down))
  }
}
