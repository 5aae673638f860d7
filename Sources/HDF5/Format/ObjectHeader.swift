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
      Self.messages(in: bytes, typeBytes: 2, reservedBytes: 3)
    }
  }

  /// The messages of a block; nil where one is larger than the rest of it.
  private static func messages(
    in bytes: ArraySlice<UInt8>, typeBytes: Int, reservedBytes: Int
  ) -> [Message]? {
    var reader = ByteReader(bytes)
    var found: [Message] = []
    while reader.remaining >= typeBytes + 3 + reservedBytes {
      guard let type = reader.integer(typeBytes), let size = reader.integer(2),
        let flags = reader.integer(1), reader.skip(reservedBytes) != nil,
        let body = reader.take(size)
      else { return nil }
      let isShared = flags & HDF5Format.ObjectHeader.isShared != 0
      found.append(Message(type: type, isShared: isShared, body: body))
    }
    return found
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
      if !isFirst {
        guard bytes.starts(with: HDF5Format.ObjectHeader.continuationSignature.utf8) else {
          return nil
        }
        guard MetadataChecksum.holds(bytes) else { throw wrongChecksum }
      }
      return Self.messages(
        in: isFirst ? bytes : bytes.dropFirst(4).dropLast(4), typeBytes: 1,
        reservedBytes: hasOrder ? 2 : 0)
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

  /// The only message of a type, also one that is stored elsewhere; throws `.corrupt` if there are several.
  func single(_ type: Int, in file: RawFile) throws(HDF5Error) -> ArraySlice<UInt8>? {
    let matching = messages.filter { $0.type == type }
    guard matching.count <= 1 else { throw damaged }
    guard let message = matching.first else { return nil }
    return message.isShared ? try shared(message.body, type, in: file) : message.body
  }

  /// The message that a reference names: in a heap of the file, or in the header of a named type.
  func shared(
    _ reference: ArraySlice<UInt8>, _ type: Int, in file: RawFile
  ) throws(HDF5Error) -> ArraySlice<UInt8> {
    typealias Numbers = HDF5Format.SharedMessage
    var reader = ByteReader(reference)
    guard let version = reader.integer(1), Numbers.versions.contains(version),
      let place = reader.integer(1),
      reader.skip(version < Numbers.firstPackedVersion ? 6 + file.lengthBytes : 0) != nil
    else { throw damaged }
    if version >= Numbers.firstVersionWithPlace, place == Numbers.inHeap {
      guard let identifier = reader.take(Numbers.identifierBytes) else { throw damaged }
      return try file.sharedMessages.body(identifier, of: type, in: file, operation)
    }
    guard version < Numbers.firstVersionWithPlace || place == Numbers.inOtherHeader,
      let address = reader.address(file.addressBytes), let address
    else { throw damaged }
    let matching = try ObjectHeader(at: address, in: file, operation).messages
      .filter { $0.type == type }
    // A named type's own header never refers to another.
    guard let message = matching.first, matching.count == 1, !message.isShared else {
      throw damaged
    }
    return message.body
  }

  /// The type of the object's values; throws `.corrupt` if it has none.
  func datatype(in file: RawFile) throws(HDF5Error) -> DatatypeMessage {
    guard let body = try single(HDF5Format.Message.datatype, in: file),
      let type = DatatypeMessage(body)
    else { throw damaged }
    return type
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
