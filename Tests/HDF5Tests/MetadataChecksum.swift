/// One checksummed block of a newer file's metadata.
struct MetadataChecksum {
  private let start: Int
  private let count: Int

  /// Long enough for most headers and index blocks of the oracle files.
  private static let maxBytes = 700
  private static let signatures = [
    "OHDR", "OCHK", "FRHP", "FHDB", "FHIB", "BTHD", "BTIN", "BTLF", "FAHD", "FADB", "EAHD", "EAIB",
    "EASB", "EADB", "\u{89}HDF",
  ]

  /// Finds the blocks by their signatures and the length at which the checksum is right.
  static func all(in bytes: [UInt8]) -> [MetadataChecksum] {
    var found: [MetadataChecksum] = []
    for signature in signatures.map({ $0.unicodeScalars.map { UInt8($0.value) } }) {
      for range in bytes.ranges(of: signature) {
        let start = range.lowerBound
        let lengths = 4..<max(5, min(maxBytes, bytes.count - start - 4))
        if let count = lengths.first(where: { count in
          sum(bytes[start..<start + count]) == stored(bytes, start + count)
        }) {
          found.append(MetadataChecksum(start: start, count: count))
        }
      }
    }
    return found
  }

  func repair(_ bytes: inout [UInt8]) {
    let sum = Self.sum(bytes[start..<start + count])
    for index in 0..<4 { bytes[start + count + index] = UInt8(sum >> (8 * UInt32(index)) & 0xFF) }
  }

  private static func stored(_ bytes: [UInt8], _ position: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << UInt32(8 * $1) }
  }

  /// Bob Jenkins's lookup3 with an initial value of 0, which is HDF5's checksum of metadata.
  private static func sum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    func rotate(_ value: UInt32, _ bits: UInt32) -> UInt32 { value << bits | value >> (32 - bits) }
    var a: UInt32 = 0xDEAD_BEEF &+ UInt32(bytes.count)
    var (b, c) = (a, a)
    func word(_ position: Int) -> UInt32 {
      (0..<4).reduce(0) { sum, byte in
        let index = position + byte
        return index < bytes.endIndex ? sum | UInt32(bytes[index]) << UInt32(8 * byte) : sum
      }
    }
    var position = bytes.startIndex
    while bytes.endIndex - position > 12 {
      a &+= word(position)
      b &+= word(position + 4)
      c &+= word(position + 8)
      a = (a &- c) ^ rotate(c, 4); c &+= b
      b = (b &- a) ^ rotate(a, 6); a &+= c
      c = (c &- b) ^ rotate(b, 8); b &+= a
      a = (a &- c) ^ rotate(c, 16); c &+= b
      b = (b &- a) ^ rotate(a, 19); a &+= c
      c = (c &- b) ^ rotate(b, 4); b &+= a
      position += 12
    }
    guard position < bytes.endIndex else { return c }
    a &+= word(position)
    b &+= word(position + 4)
    c &+= word(position + 8)
    c = (c ^ b) &- rotate(b, 14)
    a = (a ^ c) &- rotate(c, 11)
    b = (b ^ a) &- rotate(a, 25)
    c = (c ^ b) &- rotate(b, 16)
    a = (a ^ c) &- rotate(c, 4)
    b = (b ^ a) &- rotate(a, 14)
    c = (c ^ b) &- rotate(b, 24)
    return c
  }
}
