internal import Foundation

/// The transfer function of sRGB (IEC 61966-2-1) between 8-bit levels and linear light, where white is 1.
package enum SRGB {
  /// The light of each level, 0 to 255.
  package static let light: [Double] = (0...255).map { level in
    let value = Double(level) / 255
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  /// The nearest level of a light; below 0 counts as 0 and above 1 as 1.
  package static func level(ofLight light: Double) -> UInt8 {
    guard light > 0 else { return 0 }
    let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(min(light, 1), 1 / 2.4) - 0.055
    return UInt8((value * 255).rounded(.toNearestOrAwayFromZero))
  }
}

extension PixelBuffer {
  /// Replaces the light of every value, pixel by pixel: red, green, blue.
  ///
  /// `change` gets the position of the pixel, column and row, and the linear light, where white is 1.
  package mutating func mapLight(_ change: (_ x: Int, _ y: Int, _ light: Double) -> Double) {
    let (width, height) = (width, height)
    withMutableBytes { bytes in
      var at = 0
      for y in 0..<height {
        for x in 0..<width {
          for _ in 0..<3 {
            bytes[at] = SRGB.level(ofLight: change(x, y, SRGB.light[Int(bytes[at])]))
            at += 1
          }
        }
      }
    }
  }

  /// The part of the image in whole columns and rows, which must lie in it.
  package func cropped(columns: Range<Int>, rows: Range<Int>) -> PixelBuffer {
    let stride = width * 3
    var cut: [UInt8] = []
    cut.reserveCapacity(columns.count * rows.count * 3)
    for y in rows {
      cut += bytes[y * stride + columns.lowerBound * 3..<y * stride + columns.upperBound * 3]
    }
    return PixelBuffer(width: columns.count, height: rows.count, bytes: cut) ?? PixelBuffer()
  }
}
