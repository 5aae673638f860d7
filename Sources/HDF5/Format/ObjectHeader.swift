/// The messages of one object header, with the checksums of the newer format verified.
struct ObjectHeader {
  struct Message {
    let type: Int
    let isShared: Bool
    let body: ArraySlice<UInt8>
  }

  private(set) var messages: [Message] = []
  let operation: Operation

  /// Maximum bytes: real headers have a few kilobytes, a longer chain is hostile.
  private static let maxBytes = 4 << 20

  init(at address: UInt64, in file: RawFile, _ operation: Operation) throws(HDF5Error) {
    self.operation = operation
    let start = try file.bytes(at: address, count: 16, operation)
    if start.starts(with: HDF5Format.ObjectHeader.signature.utf8) {
      try readVersion2(at: address, in: file)
    } else {
      try readVersion1(start, at: address, in: file)
    }
  }

  private struct Block {
    let address: UInt64
    let count: Int
  }

  var damaged: HDF5Error { operation.failure(.corrupt, "its object header is damaged") }

  private var wrongChecksum: HDF5Error {
    operation.failure(.corrupt, "its object header has a wrong checksum")
  }

  private mutating func readVersion1(
    _ start: [UInt8], at address: UInt64, in file: RawFile
  ) throws(HDF5Error) {
    var prefix = ByteReader(start[...])
    guard prefix.integer(1) == HDF5Format.ObjectHeader.version1, prefix.skip(7) != nil,
      let count = prefix.integer(4)
    else { throw damaged }
    try readBlocks(from: Block(address: address &+ 16, count: count), in: file) { bytes, _ in
      var reader = ByteReader(bytes)
      var found: [Message] = []
      while reader.remaining >= 8 {
        guard let type = reader.integer(2), let size = reader.integer(2),
          let flags = reader.integer(1), reader.skip(3) != nil, let body = reader.take(size)
        else { return nil }
        let isShared = flags & HDF5Format.ObjectHeader.isShared != 0
        found.append(Message(type: type, isShared: isShared, body: body))
      }
      return found
    }
  }

  private mutating func readVersion2(
    at address: UInt64, in file: RawFile
  ) throws(HDF5Error) {
    let fixed = try file.bytes(at: address, count: 6, operation)
    let flags = Int(fixed[5])
    let sizeBytes = 1 << (flags & HDF5Format.ObjectHeader.sizeWidthMask)
    let timeBytes = flags & HDF5Format.ObjectHeader.hasTimes != 0 ? 16 : 0
    let thresholdBytes = flags & HDF5Format.ObjectHeader.hasAttributeThresholds != 0 ? 4 : 0
    let prefixBytes = 6 + timeBytes + thresholdBytes + sizeBytes
    let prefix = try file.bytes(at: address, count: prefixBytes, operation)
    var reader = ByteReader(prefix.suffix(sizeBytes))
    guard fixed[4] == HDF5Format.ObjectHeader.version2,
      let count = reader.integer(sizeBytes), count <= Self.maxBytes
    else { throw damaged }
    let whole = try file.bytes(at: address, count: prefixBytes + count + 4, operation)
    guard MetadataChecksum.holds(whole[...]) else { throw wrongChecksum }
    let hasOrder = flags & HDF5Format.ObjectHeader.tracksCreationOrder != 0
    let first = Block(address: address &+ UInt64(prefixBytes), count: count)
    let wrongChecksum = wrongChecksum
    try readBlocks(from: first, in: file) { bytes, isFirst throws(HDF5Error) in
      var reader = ByteReader(bytes)
      if !isFirst {
        guard bytes.starts(with: HDF5Format.ObjectHeader.continuationSignature.utf8) else {
          return nil
        }
        guard MetadataChecksum.holds(bytes) else { throw wrongChecksum }
        reader = ByteReader(bytes.dropFirst(4).dropLast(4))
      }
      var found: [Message] = []
      while reader.remaining >= (hasOrder ? 6 : 4) {
        guard let type = reader.integer(1), let size = reader.integer(2),
          let flags = reader.integer(1), reader.skip(hasOrder ? 2 : 0) != nil,
          let body = reader.take(size)
        else { return nil }
        let isShared = flags & HDF5Format.ObjectHeader.isShared != 0
        found.append(Message(type: type, isShared: isShared, body: body))
      }
      return found
    }
  }

  private mutating func readBlocks(
    from first: Block, in file: RawFile,
    parse: (ArraySlice<UInt8>, _ isFirst: Bool) throws(HDF5Error) -> [Message]?
  ) throws(HDF5Error) {
    var pending = [first]
    var seen: Set<UInt64> = []
    var total = 0
    while let block = pending.popLast() {
      guard block.count <= Self.maxBytes else { throw damaged }
      total += block.count
      guard total <= Self.maxBytes, seen.insert(block.address).inserted else { throw damaged }
      let bytes = try file.bytes(at: block.address, count: block.count, operation)
      guard let found = try parse(bytes[...], seen.count == 1) else { throw damaged }
      for message in found where message.type == HDF5Format.Message.continuation {
        var reader = ByteReader(message.body)
        guard let target = reader.address(file.addressBytes), let target,
          let count = reader.integer(file.lengthBytes), count <= Self.maxBytes
        else { throw damaged }
        pending.append(Block(address: target, count: count))
      }
      messages += found
    }
  }

  /// The only message of a type; throws `.corrupt` if there are several.
  func single(_ type: Int) throws(HDF5Error) -> Message? {
    let matching = messages.filter { $0.type == type }
    guard matching.count <= 1 else { throw damaged }
    return matching.first
  }

  /// The kind of object, derived from its messages.
  var kind: HDF5ObjectKind {
    let types = Set(messages.map(\.type))
    typealias Numbers = HDF5Format.Message
    if types.contains(Numbers.symbolTable) || types.contains(Numbers.linkInfo) { return .group }
    let isDataset = types.contains(Numbers.dataspace) && types.contains(Numbers.datatype)
    return isDataset ? .dataset : .other
  }
}

extension ObjectHeader {
  /// Throws `.corrupt` for messages whose lengths contradict each other, and `.refused` for unsupported contents.
  func validateMessages(in file: RawFile) throws(HDF5Error) {
    for message in messages {
      switch (message.type, message.isShared) {
      case (HDF5Format.Message.linkInfo, _):
        try validateLinkInfo(message.body, in: file)
      case (HDF5Format.Message.datatype, _):
        _ = try datatype(of: message, in: file)
      case (HDF5Format.Message.attribute, true):
        throw operation.failure(.refused, "an attribute is stored in a shared message")
      case (HDF5Format.Message.attribute, false):
        _ = try attribute(message.body, in: file)
      case (HDF5Format.Message.oldFillValue, false):
        guard FillValue(old: message.body) != nil else { throw damaged }
      case (HDF5Format.Message.fillValue, false):
        guard FillValue(message.body) != nil else { throw damaged }
      default: break
      }
    }
  }

  private func validateLinkInfo(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) {
    var reader = ByteReader(body)
    guard reader.skip(1) != nil, let flags = reader.integer(1),
      reader.skip(flags & HDF5Format.LinkInfo.tracksCreationOrder != 0 ? 8 : 0) != nil,
      let heap = reader.address(file.addressBytes)
    else { throw damaged }
    guard heap == nil else {
      throw operation.failure(
        .refused, "it has a group of more than 8 members in the newer format, which is not read",
        expected: "libver 'earliest' without track_order")
    }
  }

  /// Throws `.refused` if attributes are stored in a heap.
  private func validateAttributeStorage(in file: RawFile) throws(HDF5Error) {
    for message in messages where message.type == HDF5Format.Message.attributeInfo {
      var reader = ByteReader(message.body)
      guard reader.skip(1) != nil, let flags = reader.integer(1),
        reader.skip(flags & HDF5Format.AttributeInfo.tracksCreationOrder != 0 ? 2 : 0) != nil,
        let heap = reader.address(file.addressBytes)
      else { throw damaged }
      guard heap == nil else {
        throw operation.failure(
          .refused, "it has more than 8 attributes in the newer format, which is not read",
          expected: "libver 'earliest' without track_order")
      }
    }
  }

  /// The type of the object's values; throws `.corrupt` if it has none.
  func datatype(in file: RawFile) throws(HDF5Error) -> DatatypeMessage {
    guard let message = try single(HDF5Format.Message.datatype) else { throw damaged }
    return try datatype(of: message, in: file)
  }

  private func datatype(
    of message: Message, in file: RawFile
  ) throws(HDF5Error) -> DatatypeMessage {
    guard !message.isShared else { return try namedType(message.body, in: file) }
    guard let type = DatatypeMessage(message.body) else { throw damaged }
    return type
  }

  /// The type in its own header, for a reference to a named type.
  private func namedType(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) -> DatatypeMessage {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), HDF5Format.SharedMessage.versions.contains(version),
      let place = reader.integer(1),
      version < HDF5Format.SharedMessage.firstVersionWithPlace
        || place == HDF5Format.SharedMessage.inOtherHeader,
      let address = reader.address(file.addressBytes), let address
    else { throw operation.failure(.refused, "its type is stored in a shared message") }
    let header = try ObjectHeader(at: address, in: file, operation)
    guard let message = try header.single(HDF5Format.Message.datatype), !message.isShared,
      let type = DatatypeMessage(message.body)
    else { throw damaged }
    return type
  }

  /// The attribute of a name; nil if the object has none.
  func attribute(
    named name: String, in file: RawFile
  ) throws(HDF5Error) -> StoredAttribute? {
    try validateAttributeStorage(in: file)
    for message in messages
    where message.type == HDF5Format.Message.attribute && !message.isShared {
      guard let body = AttributeMessage(message.body) else { throw damaged }
      if body.name.elementsEqual(name.utf8) { return try attribute(message.body, in: file) }
    }
    return nil
  }

  private func attribute(
    _ body: ArraySlice<UInt8>, in file: RawFile
  ) throws(HDF5Error) -> StoredAttribute {
    guard let attribute = AttributeMessage(body), attribute.isNameTerminated,
      !attribute.hasSharedSpace
    else { throw damaged }
    let shape = try Extents(attribute.space, file.lengthBytes, operation).shape
    let type =
      attribute.hasNamedType
      ? try namedType(attribute.type, in: file) : DatatypeMessage(attribute.type)
    guard let type, let claim = ExtentCheck.product(shape, type.byteCount),
      shape.contains(0) || claim <= attribute.values.count
    else { throw damaged }
    return StoredAttribute(
      type: StoredType(type, in: file), shape: shape,
      bytes: Array(attribute.values.prefix(shape.contains(0) ? 0 : claim)))
  }
}

/// The stored values of an attribute.
struct StoredAttribute {
  let type: StoredType
  let shape: [Int]
  let bytes: [UInt8]
}
