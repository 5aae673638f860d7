internal import FaceCore
internal import Imaging

/// Indices of the channels of an image's pixels in a flat array of values.
struct PixelOrder {
  let height: Int
  let width: Int
  let rowStride: Int
  let columnStride: Int
  /// Indices of the first red, green and blue value.
  let channelStrides: [Int]

  /// The image, from the value at an index of the array; throws if a side is 0 or too large.
  func buffer(_ value: (Int) -> UInt8) throws(ImageError) -> PixelBuffer {
    let sides = 1...ImageHeader.maximumSide
    guard sides.contains(height), sides.contains(width),
      height * width <= ImageHeader.maximumPixels
    else {
      throw ImageError(
        "encode", "pixels", expected: "sides of 1 to \(ImageHeader.maximumSide)",
        found: "\(width)x\(height)")
    }
    var buffer = PixelBuffer(width: width, height: height)
    buffer.withMutableBytes { bytes in
      var target = 0
      for row in 0..<height {
        for column in 0..<width {
          let start = row * rowStride + column * columnStride
          for channel in channelStrides {
            bytes[target] = value(start + channel)
            target += 1
          }
        }
      }
    }
    return buffer
  }
}
