/// A datatype message, followed only to see that it stays inside its bytes.
struct DatatypeMessage {
  /// The size of one element in the file.
  let byteCount: Int

  /// nil where the message is cut, contradicts itself or nests deeper than any real type.
  init?(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let byteCount = Self.read(&reader, depth: 0) else { return nil }
    self.byteCount = byteCount
  }

  private static func read(_ reader: inout ByteReader, depth: Int) -> Int? {
    guard depth < 8, let head = reader.integer(1), let bits = reader.integer(3),
      let byteCount = reader.integer(4), byteCount > 0, (1...3).contains(head >> 4)
    else { return nil }
    let version = head >> 4
    switch head & 0x0F {
    case 0, 4: return reader.skip(4).map { byteCount }
    case 1: return reader.skip(12).map { byteCount }
    case 2: return reader.skip(2).map { byteCount }
    case 3, 7: return byteCount
    case 5: return readOpaque(&reader, tagBytes: bits & 0xFF).map { byteCount }
    case 6:
      for _ in 0..<bits & 0xFFFF {
        guard readMember(&reader, version, of: byteCount, depth: depth) else { return nil }
      }
      return bits & 0xFFFF > 0 ? byteCount : nil
    case 8:
      return readEnumeration(&reader, version, count: bits & 0xFFFF, byteCount, depth: depth)
        ? byteCount : nil
    case 9:
      guard read(&reader, depth: depth + 1) != nil else { return nil }
      return byteCount
    case 10: return readArray(&reader, version, byteCount, depth: depth) ? byteCount : nil
    default: return nil
    }
  }

  /// A tag that libhdf5 takes to be terminated.
  private static func readOpaque(_ reader: inout ByteReader, tagBytes: Int) -> Void? {
    reader.skip((tagBytes + 7) / 8 * 8)
  }

  /// Skips a terminated name, padded to 8 bytes before version 3.
  private static func readName(_ reader: inout ByteReader, _ version: Int) -> Void? {
    var count = 0
    repeat {
      guard let byte = reader.integer(1) else { return nil }
      count += 1
      if byte == 0 { return reader.skip(version < 3 ? -count & 7 : 0) }
    } while true
  }

  private static func readMember(
    _ reader: inout ByteReader, _ version: Int, of byteCount: Int, depth: Int
  ) -> Bool {
    var offsetBytes = 4
    if version == 3 { offsetBytes = (UInt64.bitWidth - byteCount.leadingZeroBitCount + 7) / 8 }
    guard readName(&reader, version) != nil, let offset = reader.integer(offsetBytes) else {
      return false
    }
    var copies = 1
    if version == 1 {
      guard let rank = reader.integer(1), rank <= 4, reader.skip(11) != nil else { return false }
      for axis in 0..<4 {
        guard let extent = reader.integer(4) else { return false }
        if axis < rank {
          let (product, overflow) = copies.multipliedReportingOverflow(by: extent)
          guard !overflow, extent > 0 else { return false }
          copies = product
        }
      }
    }
    guard let member = read(&reader, depth: depth + 1),
      let total = ExtentCheck.product([copies], member)
    else { return false }
    return offset <= byteCount && total <= byteCount - offset
  }

  private static func readEnumeration(
    _ reader: inout ByteReader, _ version: Int, count: Int, _ byteCount: Int, depth: Int
  ) -> Bool {
    guard reader.bytes[reader.position...].first.map({ $0 & 0x0F == 0 }) == true,
      read(&reader, depth: depth + 1) == byteCount
    else { return false }
    for _ in 0..<count {
      guard readName(&reader, version) != nil else { return false }
    }
    return reader.skip(count * byteCount) != nil
  }

  private static func readArray(
    _ reader: inout ByteReader, _ version: Int, _ byteCount: Int, depth: Int
  ) -> Bool {
    guard version > 1, let rank = reader.integer(1), (1...32).contains(rank),
      reader.skip(version == 2 ? 3 : 0) != nil
    else { return false }
    var extents: [Int] = []
    for _ in 0..<rank {
      guard let extent = reader.integer(4), extent > 0 else { return false }
      extents.append(extent)
    }
    guard reader.skip(version == 2 ? 4 * rank : 0) != nil,
      let element = read(&reader, depth: depth + 1)
    else { return false }
    return ExtentCheck.product(extents, element) == byteCount
  }
}
