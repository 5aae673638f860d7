/// Gathers numbers as little-endian bytes and as integers of variable length.
struct ByteWriter {
  /// What was written so far.
  private(set) var bytes: [UInt8] = []

  /// Writes one byte.
  mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// Writes a count in groups of seven bits, low ones first; the high bit says that more follow.
  mutating func count(_ value: Int) {
    var rest = UInt(bitPattern: value)
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Writes a number of either sign: 0, −1, 1, −2 … as counts 0, 1, 2, 3 ….
  mutating func signed(_ value: Int) { count((value << 1) ^ (value >> 63)) }

  /// Writes the bits of a number.
  mutating func float(_ value: Float) { fixed(value.bitPattern) }

  /// Writes the bits of numbers, one after the other.
  mutating func floats(_ values: some Sequence<Float>) {
    for value in values { float(value) }
  }

  /// Writes integers in all of their bytes, one after the other.
  mutating func fixed(contentsOf values: some Sequence<some FixedWidthInteger>) {
    for value in values { fixed(value) }
  }

  /// Writes an integer in all of its bytes.
  mutating func fixed<Value: FixedWidthInteger>(_ value: Value) {
    var rest = value
    for _ in 0..<(Value.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// Writes bytes as they are.
  mutating func append(_ other: [UInt8]) { bytes += other }

  /// Writes zeros up to a multiple of eight bytes.
  mutating func align() {
    while bytes.count % 8 != 0 { bytes.append(0) }
  }
}

extension Double {
  /// The value in eighths of a pixel, the finest that a frame's points are kept to; outliers and NaN are clamped.
  var eighths: Int { isFinite ? Int(max(-32_000, min(32_000, (self * 8).rounded()))) : -32_768 }

  /// A share of 1 in 0...254; 255 stands for none.
  var inByte: UInt8 { isFinite ? UInt8(max(0, min(254, (self * 254).rounded()))) : 255 }
}
