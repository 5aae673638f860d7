internal import Foundation

/// Colors as shares of light, linear in red, green and blue of sRGB.
enum LinearColor {
  /// A color of skin by its individual typology angle in degrees (Chardon 1991): arctan((L* − 50) / b*).
  ///
  /// a* is 11 and b* 17, as of cheeks in the middle of the range; dark skin has less of both.
  static func skin(typologyAngle: Double) -> SIMD3<Float> {
    let chroma = typologyAngle < -20 ? 0.75 : 1.0
    let (a, b) = (11 * chroma, 17 * chroma)
    return color(lightness: 50 + b * tan(typologyAngle * .pi / 180), a: a, b: b)
  }

  /// A color of CIE L*a*b* with the white of D65, clipped to what sRGB has.
  static func color(lightness: Double, a: Double, b: Double) -> SIMD3<Float> {
    func inverse(_ t: Double) -> Double {
      t > 6.0 / 29 ? t * t * t : 3 * 36.0 / 841 * (t - 4.0 / 29)
    }
    let y = (lightness + 16) / 116
    let (x, z) = (0.95047 * inverse(y + a / 500), 1.08883 * inverse(y - b / 200))
    let luminance = inverse(y)
    func row(_ r: Double, _ g: Double, _ b: Double) -> Float {
      let sum: Double = r * x + g * luminance
      return Float(min(max(sum + b * z, 0), 1))
    }
    return SIMD3(
      row(3.2404542, -1.5371385, -0.4985314), row(-0.9692660, 1.8760108, 0.0415560),
      row(0.0556434, -0.2040259, 1.0572252))
  }

  /// sRGB, 0 to 255, for light from 0 to 1 in steps of 1/8191.
  static let encoded: [Float] = (0..<8192).map { step in
    let light = Double(step) / 8191
    let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    return Float(255 * value)
  }
}
