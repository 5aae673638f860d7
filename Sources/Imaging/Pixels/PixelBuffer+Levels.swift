extension PixelBuffer {
  /// Multiplies every value by a gain, rounded to the nearest and kept within 0 to 255; NaN becomes 0.
  package mutating func adjustLevels(gain: Double) {
    let table = (0...255).map { level in
      let value = gain * Double(level)
      return value > 0 ? UInt8(min(value, 255).rounded(.toNearestOrAwayFromZero)) : 0
    }
    withMutableBytes { bytes in
      for i in bytes.indices { bytes[i] = table[Int(bytes[i])] }
    }
  }
}
