/// Bob Jenkins's lookup3 with an initial value of 0: the checksum of the newer format's metadata.
enum MetadataChecksum {
  /// Whether the last four bytes are the checksum of those before them.
  static func holds(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard bytes.count > 4 else { return false }
    let stored = bytes.suffix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return sum(bytes.dropLast(4)) == stored
  }

  static func sum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var a = 0xDEAD_BEEF &+ UInt32(truncatingIfNeeded: bytes.count)
    var (b, c) = (a, a)
    var position = bytes.startIndex
    func word(_ distance: Int) -> UInt32 {
      var word: UInt32 = 0
      for byte in 0..<4 where position + distance + byte < bytes.endIndex {
        word |= UInt32(bytes[position + distance + byte]) << UInt32(8 * byte)
      }
      return word
    }
    while bytes.endIndex - position > 12 {
      (a, b, c) = (a &+ word(0), b &+ word(4), c &+ word(8))
      a = (a &- c) ^ rotate(c, 4)
      c &+= b
      b = (b &- a) ^ rotate(a, 6)
      a &+= c
      c = (c &- b) ^ rotate(b, 8)
      b &+= a
      a = (a &- c) ^ rotate(c, 16)
      c &+= b
      b = (b &- a) ^ rotate(a, 19)
      a &+= c
      c = (c &- b) ^ rotate(b, 4)
      b &+= a
      position += 12
    }
    guard position < bytes.endIndex else { return c }
    (a, b, c) = (a &+ word(0), b &+ word(4), c &+ word(8))
    c = (c ^ b) &- rotate(b, 14)
    a = (a ^ c) &- rotate(c, 11)
    b = (b ^ a) &- rotate(a, 25)
    c = (c ^ b) &- rotate(b, 16)
    a = (a ^ c) &- rotate(c, 4)
    b = (b ^ a) &- rotate(a, 14)
    return (c ^ b) &- rotate(b, 24)
  }

  private static func rotate(_ value: UInt32, _ bits: UInt32) -> UInt32 {
    value << bits | value >> (32 - bits)
  }
}
