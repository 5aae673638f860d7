package import FaceCore

/// Values of a warp outside its image.
package enum WarpBorder: Sendable, Hashable {
  /// One color.
  case constant(RGB)
  /// The nearest pixel of the image.
  case replicate
}

extension PixelBuffer {
  /// A new image whose position `p` shows this image's position `source(p)`, sampled bilinearly.
  ///
  /// Both are continuous positions with pixel centres at halves; values round to the nearest. An enlarged image
  /// is smooth; reducing below half the size skips pixels; use `reduced(toFit:)` for that.
  /// Throws for an empty image, for a map that is not finite, and for a size beyond the limits of `ImageHeader`.
  package func warped(
    to size: ImageSize, source: AffineMap, border: WarpBorder
  ) throws(ImageError) -> PixelBuffer {
    guard width > 0, height > 0, source.isFinite else {
      throw ImageError(
        "warp", "image", expected: "pixels and a finite map",
        found: "\(width)x\(height), \(source)")
    }
    return try warped(to: size, source: { source($0) }, border: border)
  }

  /// The same by any map, which must be finite.
  @inline(__always)
  package func warped(
    to size: ImageSize, source: (Point) -> Point, border: WarpBorder
  ) throws(ImageError) -> PixelBuffer {
    guard width > 0, height > 0 else {
      throw ImageError("warp", "image", expected: "pixels", found: "\(width)x\(height)")
    }
    try Self.checkSize(size, operation: "warp")
    var output = PixelBuffer()
    output.resize(width: size.width, height: size.height)
    bytes.withUnsafeBufferPointer { from in
      output.withMutableBytes { to in
        let sampler = BilinearSampler(pixels: from, width: width, height: height, border: border)
        var at = 0
        for y in 0..<size.height {
          for x in 0..<size.width {
            let p = source(Point(x: Double(x) + 0.5, y: Double(y) + 0.5))
            let color = sampler.color(column: p.x - 0.5, row: p.y - 0.5)
            for channel in 0..<3 { to[at + channel] = UInt8(color[channel] + 0.5) }
            at += 3
          }
        }
      }
    }
    return output
  }

  static func checkSize(_ size: ImageSize, operation: String) throws(ImageError) {
    let sides = 1...ImageHeader.maximumSide
    guard sides.contains(size.width), sides.contains(size.height),
      size.width * size.height <= ImageHeader.maximumPixels
    else {
      throw ImageError(
        operation, "image",
        expected: "sides of 1 to \(ImageHeader.maximumSide) and "
          + "at most \(ImageHeader.maximumPixels) pixels",
        found: "\(size.width)x\(size.height)")
    }
  }
}

/// Interpolates between the pixels of an image.
private struct BilinearSampler {
  let pixels: UnsafeBufferPointer<UInt8>
  let width: Int
  let height: Int
  let outside: SIMD3<Float>?

  init(pixels: UnsafeBufferPointer<UInt8>, width: Int, height: Int, border: WarpBorder) {
    self.pixels = pixels
    self.width = width
    self.height = height
    if case .constant(let color) = border {
      outside = SIMD3(Float(color.red), Float(color.green), Float(color.blue))
    } else {
      outside = nil
    }
  }

  /// The color, 0 to 255 per channel, at a position whose whole numbers are pixel centres.
  func color(column: Double, row: Double) -> SIMD3<Float> {
    let x = min(max(column, -1), Double(width))
    let y = min(max(row, -1), Double(height))
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let (fx, fy) = (Float(x - left), Float(y - top))
    let (ix, iy) = (Int(left), Int(top))
    let (near, far) = (1 - fx, fx)
    guard ix >= 0, iy >= 0, ix < width - 1, iy < height - 1 else {
      let upper = pixel(ix, iy) * near + pixel(ix + 1, iy) * far
      let lower = pixel(ix, iy + 1) * near + pixel(ix + 1, iy + 1) * far
      return upper * (1 - fy) + lower * fy
    }
    let upper = (iy * width + ix) * 3
    let lower = upper + width * 3
    func blend(_ channel: Int) -> Float {
      let above = Float(pixels[upper + channel]) * near + Float(pixels[upper + channel + 3]) * far
      let below = Float(pixels[lower + channel]) * near + Float(pixels[lower + channel + 3]) * far
      return above * (1 - fy) + below * fy
    }
    return SIMD3(blend(0), blend(1), blend(2))
  }

  private func pixel(_ x: Int, _ y: Int) -> SIMD3<Float> {
    if let outside, x < 0 || y < 0 || x >= width || y >= height { return outside }
    let at = (min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)) * 3
    return SIMD3(Float(pixels[at]), Float(pixels[at + 1]), Float(pixels[at + 2]))
  }
}
