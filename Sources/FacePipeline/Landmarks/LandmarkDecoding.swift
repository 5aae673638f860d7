package import FaceCore
internal import Foundation
internal import Imaging
package import Tensor

/// What the numbers of a landmark model mean.
package enum LandmarkDecoding {
  /// Landmarks normalised by the image from the model's x, y, z in input pixels of a region; z is over the width.
  ///
  /// x and y may lie outside [0, 1]. A rest of fewer than three floats is left out. `points` keeps its storage.
  package static func project(
    _ raw: TensorView, inputSide: Int, region: NormalizedRect, size: ImageSize,
    into points: inout [SIMD3<Float>]
  ) {
    let m = ImageToTensor(
      width: inputSide, height: inputSide, keepsAspectRatio: false, border: .replicate,
      range: 0...1
    ).projection(of: region, in: size)
    // The length of a projected unit step along x, from the rounded end points.
    let dx = Double((m[0] + m[3]) - m[3])
    let dy = Double((m[4] + m[7]) - m[7])
    let zScale = Float((dx * dx + dy * dy).squareRoot())
    let side = Float(inputSide)
    points.removeAll(keepingCapacity: true)
    for point in 0..<raw.count / 3 {
      let x = raw[3 * point] / side
      let y = raw[3 * point + 1] / side
      let z = raw[3 * point + 2] / side
      points.append(
        SIMD3(x * m[0] + y * m[1] + m[3], x * m[4] + y * m[5] + m[7], z * zScale))
    }
  }

  /// The same as MediaPipe's older graphs do it, for a region that is square in pixels.
  ///
  /// x and y agree with `project` up to rounding; z is scaled by the region's width however the region is turned.
  package static func project(
    _ raw: TensorView, inputSide: Int, squareRegion region: NormalizedRect,
    into points: inout [SIMD3<Float>]
  ) {
    let side = Float(inputSide)
    let (c, s) = (cosf(region.rotation), sinf(region.rotation))
    points.removeAll(keepingCapacity: true)
    for point in 0..<raw.count / 3 {
      let x = raw[3 * point] / side - 0.5
      let y = raw[3 * point + 1] / side - 0.5
      let z = raw[3 * point + 2] / side
      points.append(
        SIMD3(
          (c * x - s * y) * region.width + region.xCenter,
          (s * x + c * y) * region.height + region.yCenter, z * region.width))
    }
  }

  /// The probability in [0, 1] that a region holds a face, from the model's logit.
  package static func presence(logit: Float) -> Float {
    1 / (1 + expf(-logit))
  }
}
