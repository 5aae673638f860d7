internal import FaceCore
internal import Imaging

/// Where the channels of a picture's pixels lie in a flat array of values.
struct PixelOrder {
  let height: Int
  let width: Int
  let rowStride: Int
  let columnStride: Int
  /// Where red, green and blue begin.
  let channelStrides: [Int]

  /// The picture, from the value at an index of the array; throws where a side is 0 or too large.
  func buffer(_ value: (Int) -> UInt8) throws(PictureError) -> PixelBuffer {
    let sides = 1...PictureHeader.maximumSide
    guard sides.contains(height), sides.contains(width),
      height * width <= PictureHeader.maximumPixels
    else {
      throw PictureError(
        "encode", "pixels", expected: "sides of 1 to \(PictureHeader.maximumSide)",
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
