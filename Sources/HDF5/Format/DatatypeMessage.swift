/// A datatype message.
struct DatatypeMessage: Equatable, Sendable {
  /// The class of a type, with the properties that distinguish its members.
  indirect enum Content: Equatable, Sendable {
    case integer(isSigned: Bool)
    case float
    /// A number of 16 bits: IEEE 754's binary16, or the upper half of its binary32.
    case halfFloat, brainFloat
    /// A number with a nonstandard bit layout.
    case unusualNumber
    case string(isSpacePadded: Bool)
    case variableString
    case sequence(of: DatatypeMessage)
    case enumeration(of: DatatypeMessage, memberCount: Int)
    case bitField
    case opaque
    case compound([Member])
    case array(of: DatatypeMessage, extents: [Int])
    case reference(toObject: Bool)
    case other(String)
  }

  /// A member of a compound type.
  struct Member: Equatable, Sendable {
    let name: String
    let offset: Int
    let type: DatatypeMessage
  }

  /// The size of one element in the file.
  let byteCount: Int
  let content: Content
  let isBigEndian: Bool

  /// nil if the message is truncated, contradicts itself or nests deeper than any real type.
  init?(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    // A type is at least of the version of its parts.
    if let head = body.first, case let version = Int(head) >> HDF5Format.Datatype.versionShift,
      version > HDF5Format.Datatype.versions.upperBound
    {
      guard reader.skip(4) != nil, let byteCount = reader.integer(4), byteCount > 0 else {
        return nil
      }
      self.init(.other("a type of version \(version), of a later HDF5"), byteCount)
      return
    }
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
      let content = floatContent(Array(properties), bits & ~Numbers.isBigEndian, byteCount)
      return Self(content ?? .unusualNumber, byteCount, isBigEndian: isBigEndian)
    case .time?: return reader.skip(2).map { other("a time type") }
    case .string?:
      let padding = bits & Numbers.paddingMask
      return Self(.string(isSpacePadded: padding == Numbers.paddedWithSpaces), byteCount)
    case .bitField?:
      return reader.skip(4).map { byteCount == 1 ? Self(.bitField, 1) : other("a bit field") }
    case .opaque?:
      let tagBytes = bits & Numbers.tagBytesMask
      return reader.skip((tagBytes + 7) / 8 * 8).map { Self(.opaque, byteCount) }
    case .compound?:
      var members: [Member] = []
      for _ in 0..<(bits & Numbers.memberCountMask) {
        guard let member = readMember(&reader, version, of: byteCount, depth: depth) else {
          return nil
        }
        members.append(member)
      }
      return members.isEmpty ? nil : Self(.compound(members), byteCount)
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
      return readArray(&reader, version, byteCount, depth: depth)
    case .complex?:
      guard let part = read(&reader, depth: depth + 1), byteCount == 2 * part.byteCount else {
        return nil
      }
      return other("complex numbers")
    case nil: return nil
    }
  }

  /// The number whose bit layout sign, exponent and mantissa have; nil for one that is not read.
  private static func floatContent(
    _ properties: [UInt8], _ bits: Int, _ byteCount: Int
  ) -> Content? {
    let sign = 8 * byteCount - 1
    guard
      bits == sign << HDF5Format.Datatype.signPositionShift
        | HDF5Format.Datatype.hasImpliedLeadingOne
    else { return nil }
    // Offset, precision, exponent's position and size, mantissa's, the exponent's bias; implied leading 1, sign on top.
    return switch properties {
    case [0, 0, 16, 0, 10, 5, 0, 10, 15, 0, 0, 0] where byteCount == 2: .halfFloat
    case [0, 0, 16, 0, 7, 8, 0, 7, 127, 0, 0, 0] where byteCount == 2: .brainFloat
    case [0, 0, 32, 0, 23, 8, 0, 23, 127, 0, 0, 0] where byteCount == 4: .float
    case [0, 0, 64, 0, 52, 11, 0, 52, 255, 3, 0, 0] where byteCount == 8: .float
    default: nil
    }
  }

  /// A terminated name, padded to 8 bytes before version 3.
  private static func readName(_ reader: inout ByteReader, _ version: Int) -> ArraySlice<UInt8>? {
    let start = reader.position
    guard let end = reader.bytes[start...].firstIndex(of: 0) else { return nil }
    let count = end + 1 - start
    let isPadded = version < HDF5Format.Datatype.firstPackedVersion
    return reader.skip(count + (isPadded ? -count & 7 : 0)).map { reader.bytes[start..<end] }
  }

  private static func readMember(
    _ reader: inout ByteReader, _ version: Int, of byteCount: Int, depth: Int
  ) -> Member? {
    var offsetBytes = 4
    if version >= HDF5Format.Datatype.firstPackedVersion {
      offsetBytes = (UInt64.bitWidth - byteCount.leadingZeroBitCount + 7) / 8
    }
    guard let name = readName(&reader, version), let offset = reader.integer(offsetBytes) else {
      return nil
    }
    var extents: [Int] = []
    if version < HDF5Format.Datatype.firstVersionWithArrays {
      let maxRank = HDF5Format.Datatype.maxMemberRank
      guard let rank = reader.integer(1), rank <= maxRank, reader.skip(11) != nil else {
        return nil
      }
      for axis in 0..<maxRank {
        guard let extent = reader.integer(4), axis >= rank || extent > 0 else { return nil }
        if axis < rank { extents.append(extent) }
      }
    }
    guard let element = read(&reader, depth: depth + 1),
      let total = ExtentCheck.product(extents, element.byteCount), offset <= byteCount,
      total <= byteCount - offset
    else { return nil }
    return Member(
      name: String(decoding: name, as: UTF8.self), offset: offset,
      type: extents.isEmpty ? element : Self(.array(of: element, extents: extents), total))
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
  ) -> DatatypeMessage? {
    let isPacked = version >= HDF5Format.Datatype.firstPackedVersion
    guard version >= HDF5Format.Datatype.firstVersionWithArrays, let rank = reader.integer(1),
      (1...HDF5Format.maxRank).contains(rank), reader.skip(isPacked ? 0 : 3) != nil
    else { return nil }
    var extents: [Int] = []
    for _ in 0..<rank {
      guard let extent = reader.integer(4), extent > 0 else { return nil }
      extents.append(extent)
    }
    guard reader.skip(isPacked ? 0 : 4 * rank) != nil,
      let element = read(&reader, depth: depth + 1),
      ExtentCheck.product(extents, element.byteCount) == byteCount
    else { return nil }
    return Self(.array(of: element, extents: extents), byteCount)
  }
}
