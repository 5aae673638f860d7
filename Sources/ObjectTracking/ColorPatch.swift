internal import FaceCore
internal import Imaging

/// A part of an image at another scale, in floats.
struct ColorPatch: Sendable {
  /// Width in pixels of the patch.
  let width: Int
  /// Height in pixels of the patch.
  let height: Int
  /// Red, green and blue in [0, 1], row by row: [height, width, 3].
  let values: [Float]

  /// Maximum samples per side that are averaged for a pixel of the patch.
  private static let maxSamples = 4

  /// The part of that centre and size in pixels of the image; beyond its edges the last pixel is repeated.
  ///
  /// Bilinear; a pixel that covers more than two of the image's each way is the average of several samples.
  /// The image must not be empty and `size` must be finite.
  init(
    of image: PixelBuffer, around centre: Point, size: SIMD2<Double>, width: Int, height: Int
  ) {
    self.width = width
    self.height = height
    let columns = Self.samples(
      from: centre.x - size.x / 2, size: size.x, count: width, limit: image.width)
    let rows = Self.samples(
      from: centre.y - size.y / 2, size: size.y, count: height, limit: image.height)
    let (across, down) = (columns.count / width, rows.count / height)
    let share = 1 / Float(255 * across * down)
    let (stride, bytes) = (image.width * 3, image.bytes)
    var values = [Float](repeating: 0, count: width * height * 3)
    for (row, y) in rows.enumerated() {
      var to = row / down * width * 3
      let (top, bottom) = (y.low * stride, y.high * stride)
      for x in 0..<width {
        var sum = SIMD3<Float>.zero
        for sample in columns[(x * across)..<((x + 1) * across)] {
          let (left, right) = (sample.low * 3, sample.high * 3)
          func pixel(_ at: Int) -> SIMD3<Float> {
            SIMD3(Float(bytes[at]), Float(bytes[at + 1]), Float(bytes[at + 2]))
          }
          let above = pixel(top + left) * (1 - sample.weight) + pixel(top + right) * sample.weight
          let below =
            pixel(bottom + left) * (1 - sample.weight) + pixel(bottom + right) * sample.weight
          sum += above * (1 - y.weight) + below * y.weight
        }
        values[to] += sum.x * share
        values[to + 1] += sum.y * share
        values[to + 2] += sum.z * share
        to += 3
      }
    }
    self.values = values
  }

  private struct Sample {
    var low: Int
    var high: Int
    var weight: Float
  }

  private static func samples(
    from start: Double, size: Double, count: Int, limit: Int
  ) -> [Sample] {
    let step = size / Double(count)
    // A bilinear sample covers two pixels in each direction.
    let each = Int(min(max((step / 2).rounded(.up), 1), Double(maxSamples)))
    return (0..<(count * each)).map { index in
      let position = start + (Double(index) + 0.5) * step / Double(each) - 0.5
      let inside = min(max(position, 0), Double(limit - 1))
      let low = Int(inside)
      return Sample(low: low, high: min(low + 1, limit - 1), weight: Float(inside - Double(low)))
    }
  }
}
