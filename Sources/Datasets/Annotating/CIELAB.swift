internal import Foundation
internal import Imaging

/// A color in CIE L*a*b* under D65, from sRGB.
///
/// Source: IEC 61966-2-1 for sRGB, ISO/CIE 11664-4 for L*a*b*; the white is that of skimage, (0.95047, 1, 1.08883).
struct CIELAB: Sendable {
  /// Lightness, 0 to 100.
  let lightness: Double
  /// From green to red.
  let a: Double
  /// From blue to yellow.
  let b: Double

  /// Converts a color.
  init(_ color: RGB) {
    let (red, green, blue) = (
      SRGB.light[Int(color.red)], SRGB.light[Int(color.green)], SRGB.light[Int(color.blue)]
    )
    let x = (0.412453 * red + 0.357580 * green + 0.180423 * blue) / 0.95047
    let y = 0.212671 * red + 0.715160 * green + 0.072169 * blue
    let z = (0.019334 * red + 0.119193 * green + 0.950227 * blue) / 1.08883
    let (fx, fy, fz) = (Self.root(x), Self.root(y), Self.root(z))
    lightness = 116 * fy - 16
    a = 500 * (fx - fy)
    b = 200 * (fy - fz)
  }

  private static func root(_ value: Double) -> Double {
    value > 0.008856 ? cbrt(value) : 7.787 * value + 16.0 / 116
  }
}

extension PixelBuffer {
  /// The colors of all pixels, row by row.
  var colors: [CIELAB] {
    stride(from: 0, to: bytes.count, by: 3).map {
      CIELAB(RGB(bytes[$0], bytes[$0 + 1], bytes[$0 + 2]))
    }
  }
}
