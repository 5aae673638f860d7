/// A fast hash to find candidates for equal images; the key differs from run to run.
///
/// Sixteen bytes at a time are folded by a full multiplication, as in wyhash. Callers compare bytes to confirm.
package struct ImageHash: Sendable {
  private let keys: SIMD4<UInt64>
  private let mask: UInt32

  /// Draws a key; with fewer than 32 bits collisions are common.
  package init(bits: Int = 32) {
    mask = bits < 32 ? 1 << UInt32(max(bits, 0)) - 1 : .max
    var source = SystemRandomNumberGenerator()
    keys = SIMD4(source.next(), source.next(), source.next(), source.next())
  }

  /// The hash of bytes and their count.
  package func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    bytes.withUnsafeBytes { of($0) }
  }

  private func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let count = bytes.count
    var (first, second) = (keys[0], keys[1])
    var at = 0
    // Safety: every offset read below is less than the count of bytes.
    func word(_ offset: Int) -> UInt64 {
      bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
    while at + 32 <= count {
      first = Self.fold(word(at) ^ keys[2], word(at + 8) ^ first)
      second = Self.fold(word(at + 16) ^ keys[3], word(at + 24) ^ second)
      at += 32
    }
    while at < count {
      var last: UInt64 = 0
      for offset in at..<min(at + 8, count) {
        last = last << 8 | UInt64(bytes[offset])
      }
      first = Self.fold(last ^ keys[2], first ^ keys[3])
      at += 8
    }
    let folded = Self.fold(first ^ UInt64(truncatingIfNeeded: count), second ^ keys[2])
    return UInt32(truncatingIfNeeded: Self.fold(folded ^ keys[0], keys[1])) & mask
  }

  private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = left.multipliedFullWidth(by: right)
    return product.high ^ product.low
  }
}
