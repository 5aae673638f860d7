/// A datatype message.
struct DatatypeMessage: Equatable {
  /// The class of a type, with the properties that distinguish its members.
  indirect enum Content: Equatable {
    case integer(isSigned: Bool)
    case float
    /// A number with a nonstandard bit layout.
    case unusualNumber
    case string(padding: Int)
    case variableString
    case sequence(of: DatatypeMessage)
    case enumeration(of: DatatypeMessage, memberCount: Int)
    case bitField
    case reference(toObject: Bool)
    case other(String)
  }

  /// The size of one element in the file.
  let byteCount: Int
  let content: Content
  let isBigEndian: Bool

  /// nil if the message is truncated, contradicts itself or nests deeper than any real type.
  init?(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let type = Self.read(&reader, depth: 0) else { return nil }
    self = type
  }

  private init(_ content: Content, _ byteCount: Int, isBigEndian: Bool = false) {
    self.content = content
    self.byteCount = byteCount
    self.isBigEndian = isBigEndian
  }

  private static func read(_ reader: inout ByteReader, depth: Int) -> DatatypeMessage? {
    guard depth < 8, let head = reader.integer(1), let bits = reader.integer(3),
      let byteCount = reader.integer(4), byteCount > 0, (1...3).contains(head >> 4)
    else { return nil }
    let version = head >> 4
    func other(_ name: String) -> DatatypeMessage { Self(.other(name), byteCount) }
    switch head & 0x0F {
    case 0:
      guard let offset = reader.integer(2), let precision = reader.integer(2) else { return nil }
      let isStandard = bits & ~9 == 0 && offset == 0 && precision == 8 * byteCount
      return Self(
        isStandard && [1, 2, 4, 8].contains(byteCount)
          ? .integer(isSigned: bits & 8 != 0) : .unusualNumber,
        byteCount, isBigEndian: bits & 1 != 0 && byteCount > 1)
    case 1:
      guard let properties = reader.take(12) else { return nil }
      return Self(
        isStandardFloat(Array(properties), bits & ~1, byteCount) ? .float : .unusualNumber,
        byteCount, isBigEndian: bits & 1 != 0)
    case 2: return reader.skip(2).map { other("a time type") }
    case 3: return Self(.string(padding: bits & 0x0F), byteCount)
    case 4:
      return reader.skip(4).map { byteCount == 1 ? Self(.bitField, 1) : other("a bit field") }
    case 5:
      return readOpaque(&reader, tagBytes: bits & 0xFF).map { other("an opaque type") }
    case 6:
      for _ in 0..<bits & 0xFFFF {
        guard readMember(&reader, version, of: byteCount, depth: depth) else { return nil }
      }
      return bits & 0xFFFF > 0 ? other("a compound type") : nil
    case 7: return Self(.reference(toObject: bits & 0x0F == 0), byteCount)
    case 8:
      return readEnumeration(&reader, version, count: bits & 0xFFFF, byteCount, depth: depth)
    case 9:
      guard let base = read(&reader, depth: depth + 1) else { return nil }
      return Self(bits & 0x0F == 1 ? .variableString : .sequence(of: base), byteCount)
    case 10:
      return readArray(&reader, version, byteCount, depth: depth) ? other("an array type") : nil
    default: return nil
    }
  }

  /// Whether sign, exponent and mantissa have the bit layout of IEEE 754.
  private static func isStandardFloat(
    _ properties: [UInt8], _ bits: Int, _ byteCount: Int
  ) -> Bool {
    // Offset, precision, exponent's position and size, mantissa's, the exponent's bias; implied leading 1, sign on top.
    switch byteCount {
    case 4: bits == 31 << 8 | 0x20 && properties == [0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0]
    case 8: bits == 63 << 8 | 0x20 && properties == [0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0]
    default: false
    }
  }

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
      let total = ExtentCheck.product([copies], member.byteCount)
    else { return false }
    return offset <= byteCount && total <= byteCount - offset
  }

  private static func readEnumeration(
    _ reader: inout ByteReader, _ version: Int, count: Int, _ byteCount: Int, depth: Int
  ) -> DatatypeMessage? {
    guard let base = read(&reader, depth: depth + 1), base.byteCount == byteCount,
      base.isInteger || base.content == .unusualNumber
    else { return nil }
    for _ in 0..<count {
      guard readName(&reader, version) != nil else { return nil }
    }
    return reader.skip(count * byteCount).map {
      Self(
        .enumeration(of: base, memberCount: count), byteCount, isBigEndian: base.isBigEndian)
    }
  }

  private var isInteger: Bool {
    if case .integer = content { true } else { false }
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
    return ExtentCheck.product(extents, element.byteCount) == byteCount
  }
}
