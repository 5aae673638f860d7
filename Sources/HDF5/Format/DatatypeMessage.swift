/// A datatype message.
struct DatatypeMessage: Equatable {
  /// The class of a type, with the properties that distinguish its members.
  indirect enum Content: Equatable {
    case integer(isSigned: Bool)
    case float
    /// A number with a nonstandard bit layout.
    case unusualNumber
    case string(isSpacePadded: Bool)
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
      let byteCount = reader.integer(4), byteCount > 0
    else { return nil }
    typealias Numbers = HDF5Format.Datatype
    let version = head >> Numbers.versionShift
    guard Numbers.versions.contains(version) else { return nil }
    let isBigEndian = bits & Numbers.isBigEndian != 0
    func other(_ name: String) -> DatatypeMessage { Self(.other(name), byteCount) }
    switch Numbers.Class(rawValue: head & Numbers.classMask) {
    case .fixedPoint?:
      guard let offset = reader.integer(2), let precision = reader.integer(2) else { return nil }
      let isSigned = bits & Numbers.isSigned != 0
      let hasOtherBits = bits & ~(Numbers.isBigEndian | Numbers.isSigned) != 0
      let isStandard = !hasOtherBits && offset == 0 && precision == 8 * byteCount
      return Self(
        isStandard && [1, 2, 4, 8].contains(byteCount)
          ? .integer(isSigned: isSigned) : .unusualNumber,
        byteCount, isBigEndian: isBigEndian && byteCount > 1)
    case .floatingPoint?:
      guard let properties = reader.take(12) else { return nil }
      let isStandard = isStandardFloat(
        Array(properties), bits & ~Numbers.isBigEndian, byteCount)
      return Self(isStandard ? .float : .unusualNumber, byteCount, isBigEndian: isBigEndian)
    case .time?: return reader.skip(2).map { other("a time type") }
    case .string?:
      let padding = bits & Numbers.paddingMask
      return Self(.string(isSpacePadded: padding == Numbers.paddedWithSpaces), byteCount)
    case .bitField?:
      return reader.skip(4).map { byteCount == 1 ? Self(.bitField, 1) : other("a bit field") }
    case .opaque?:
      return readOpaque(&reader, tagBytes: bits & Numbers.tagBytesMask)
        .map { other("an opaque type") }
    case .compound?:
      let count = bits & Numbers.memberCountMask
      for _ in 0..<count {
        guard readMember(&reader, version, of: byteCount, depth: depth) else { return nil }
      }
      return count > 0 ? other("a compound type") : nil
    case .reference?:
      let kind = bits & Numbers.referenceMask
      return Self(.reference(toObject: kind == Numbers.objectReference), byteCount)
    case .enumeration?:
      return readEnumeration(
        &reader, version, count: bits & Numbers.memberCountMask, byteCount, depth: depth)
    case .variableLength?:
      guard let base = read(&reader, depth: depth + 1) else { return nil }
      let isString = bits & Numbers.variableLengthMask == Numbers.variableString
      return Self(isString ? .variableString : .sequence(of: base), byteCount)
    case .array?:
      return readArray(&reader, version, byteCount, depth: depth) ? other("an array type") : nil
    case nil: return nil
    }
  }

  /// Whether sign, exponent and mantissa have the bit layout of IEEE 754.
  private static func isStandardFloat(
    _ properties: [UInt8], _ bits: Int, _ byteCount: Int
  ) -> Bool {
    // Offset, precision, exponent's position and size, mantissa's, the exponent's bias; implied leading 1, sign on top.
    let hasLayout =
      switch byteCount {
      case 4: properties == [0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0]
      case 8: properties == [0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0]
      default: false
      }
    let sign = 8 * byteCount - 1
    return hasLayout
      && bits == sign << HDF5Format.Datatype.signPositionShift
        | HDF5Format.Datatype.hasImpliedLeadingOne
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
      let isPadded = version < HDF5Format.Datatype.firstPackedVersion
      if byte == 0 { return reader.skip(isPadded ? -count & 7 : 0) }
    } while true
  }

  private static func readMember(
    _ reader: inout ByteReader, _ version: Int, of byteCount: Int, depth: Int
  ) -> Bool {
    var offsetBytes = 4
    if version >= HDF5Format.Datatype.firstPackedVersion {
      offsetBytes = (UInt64.bitWidth - byteCount.leadingZeroBitCount + 7) / 8
    }
    guard readName(&reader, version) != nil, let offset = reader.integer(offsetBytes) else {
      return false
    }
    var copies = 1
    if version < HDF5Format.Datatype.firstVersionWithArrays {
      let maxRank = HDF5Format.Datatype.maxMemberRank
      guard let rank = reader.integer(1), rank <= maxRank, reader.skip(11) != nil else {
        return false
      }
      for axis in 0..<maxRank {
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
    let isPacked = version >= HDF5Format.Datatype.firstPackedVersion
    guard version >= HDF5Format.Datatype.firstVersionWithArrays, let rank = reader.integer(1),
      (1...HDF5Format.maxRank).contains(rank), reader.skip(isPacked ? 0 : 3) != nil
    else { return false }
    var extents: [Int] = []
    for _ in 0..<rank {
      guard let extent = reader.integer(4), extent > 0 else { return false }
      extents.append(extent)
    }
    guard reader.skip(isPacked ? 0 : 4 * rank) != nil,
      let element = read(&reader, depth: depth + 1)
    else { return false }
    return ExtentCheck.product(extents, element.byteCount) == byteCount
  }
}
