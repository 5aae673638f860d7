extension PixelBuffer {
  /// Replaces every value by `gain * value + offset`, rounded to the nearest and kept within 0 to 255.
  ///
  /// A gain above 1 with an offset of 0 brightens; `offset = 127.5 * (1 - gain)` changes contrast about mid-gray.
  /// NaN becomes 0.
  package mutating func adjustLevels(gain: Double, offset: Double = 0) {
    let table = (0...255).map { level in
      let value = gain * Double(level) + offset
      return value > 0 ? UInt8(min(value, 255).rounded(.toNearestOrAwayFromZero)) : 0
    }
    withMutableBytes { bytes in
      for i in bytes.indices { bytes[i] = table[Int(bytes[i])] }
    }
  }
}
