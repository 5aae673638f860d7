extension ObjectHeader {
  /// Throws `.corrupt` for messages whose lengths libhdf5 1.10 would follow out of their bounds.
  func judgeMessages(in file: RawFile) throws(HDF5Error) {
    for message in messages {
      switch (message.type, message.isShared) {
      case (0x02, _):
        try judgeLinkInfo(message.body, in: file)
      case (0x03, false):
        guard DatatypeMessage(message.body) != nil else { throw damaged }
      case (0x03, true):
        try judgeNamedType(message.body, in: file)
      case (0x0C, true):
        throw operation.failure(.refused, "an attribute is stored in a shared message")
      case (0x0C, false):
        try judgeAttribute(message.body, in: file)
      case (0x11, false):
        try judgeSymbolTable(message.body, in: file)
      case (0x04, false):
        guard Self.isOldFillValue(message.body) else { throw damaged }
      case (0x05, false):
        guard Self.isFillValue(message.body) else { throw damaged }
      case (0x06, false):
        guard Self.isLink(message.body, file) else { throw damaged }
      default: break
      }
    }
  }

  /// libhdf5 1.10 trusts what it finds in the heaps of large groups of the newer format.
  private func judgeLinkInfo(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) {
    var reader = ByteReader(body)
    guard reader.skip(1) != nil, let flags = reader.integer(1),
      reader.skip(flags & 1 != 0 ? 8 : 0) != nil, let heap = reader.address(file.addressBytes)
    else { throw damaged }
    guard heap == nil else {
      throw operation.failure(
        .refused, "it has a group of more than 8 members in the newer format, which is not read",
        expected: "libver 'earliest' without track_order")
    }
  }

  /// Throws `.refused` where attributes are kept in a heap, which libhdf5 1.10 trusts.
  func judgeAttributeStorage(in file: RawFile) throws(HDF5Error) {
    for message in messages where message.type == 0x15 {
      var reader = ByteReader(message.body)
      guard reader.skip(1) != nil, let flags = reader.integer(1),
        reader.skip(flags & 1 != 0 ? 2 : 0) != nil, let heap = reader.address(file.addressBytes)
      else { throw damaged }
      guard heap == nil else {
        throw operation.failure(
          .refused, "it has more than 8 attributes in the newer format, which is not read",
          expected: "libver 'earliest' without track_order")
      }
    }
  }

  /// A reference to a datatype that has a header of its own.
  private func judgeNamedType(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), version == 2 || version == 3,
      let kind = reader.integer(1), version == 2 || kind == 2,
      let address = reader.address(file.addressBytes), let address
    else { throw operation.failure(.refused, "its type is stored in a shared message") }
    let header = try ObjectHeader(at: address, in: file, operation)
    guard let type = try header.single(0x03), !type.isShared, DatatypeMessage(type.body) != nil
    else { throw damaged }
    for message in header.messages where message.type == 0x0C {
      guard !message.isShared, let attribute = AttributeMessage(message.body),
        !attribute.hasNamedType
      else { throw operation.failure(.refused, "a named type has an attribute of a named type") }
      try judgeAttribute(message.body, in: file)
    }
  }

  private func judgeAttribute(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) {
    guard let attribute = AttributeMessage(body), attribute.isNameTerminated,
      !attribute.hasSharedSpace
    else { throw damaged }
    let extents = try Extents(attribute.space, file.lengthBytes, operation)
    guard !attribute.hasNamedType else {
      return try judgeNamedType(attribute.type, in: file)
    }
    guard let type = DatatypeMessage(attribute.type),
      let claim = ExtentCheck.product(extents.shape, type.byteCount),
      extents.shape.contains(0) || claim <= attribute.values.count
    else { throw damaged }
  }

  private func judgeSymbolTable(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) {
    var reader = ByteReader(body)
    guard reader.skip(file.addressBytes) != nil, let heap = reader.address(file.addressBytes),
      let heap
    else { throw damaged }
    let header = try file.bytes(
      at: heap, count: 8 + 2 * file.lengthBytes + file.addressBytes, operation)
    reader = ByteReader(header[...].dropFirst(8))
    guard header.starts(with: "HEAP".utf8), let count = reader.integer(file.lengthBytes),
      reader.skip(file.lengthBytes) != nil, let data = reader.address(file.addressBytes), let data
    else { throw damaged }
    try file.checkRange(data, count, operation)
  }

  private static func isOldFillValue(_ body: ArraySlice<UInt8>) -> Bool {
    var reader = ByteReader(body)
    return reader.integer(4).flatMap { reader.skip($0) } != nil
  }

  private static func isFillValue(_ body: ArraySlice<UInt8>) -> Bool {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), (1...3).contains(version) else { return false }
    let hasValue: Bool
    if version == 3 {
      guard let flags = reader.integer(1) else { return false }
      hasValue = flags & 0x20 != 0
    } else {
      guard reader.skip(2) != nil, let isDefined = reader.integer(1) else { return false }
      hasValue = version == 1 || isDefined != 0
    }
    guard hasValue else { return true }
    // A size of -1 says that the value is undefined.
    guard let size = reader.integer(4) else { return false }
    return size == 0xFFFF_FFFF && version < 3 || reader.skip(size) != nil
  }

  private static func isLink(_ body: ArraySlice<UInt8>, _ file: RawFile) -> Bool {
    var reader = ByteReader(body)
    guard reader.integer(1) == 1, let flags = reader.integer(1), flags < 0x20,
      let kind = flags & 0x08 != 0 ? reader.integer(1) : 0, kind < 2 || kind >= 64,
      reader.skip(flags & 0x04 != 0 ? 8 : 0) != nil,
      let encoding = flags & 0x10 != 0 ? reader.integer(1) : 0, encoding < 2,
      let nameBytes = reader.integer(1 << (flags & 3)), nameBytes > 0, reader.skip(nameBytes) != nil
    else { return false }
    if kind == 0 { return reader.skip(file.addressBytes) != nil }
    guard let size = reader.integer(2), kind != 1 || size > 0 else { return false }
    return reader.skip(size) != nil
  }
}
