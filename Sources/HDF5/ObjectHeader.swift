/// The messages of one object header, with the checksums of the newer format verified.
struct ObjectHeader {
  struct Message {
    let type: Int
    let isShared: Bool
    let body: ArraySlice<UInt8>
  }

  private(set) var messages: [Message] = []
  let operation: Operation

  /// Real headers hold a few kilobytes; a chain beyond this is hostile.
  private static let maxBytes = 4 << 20

  init(at address: UInt64, in file: RawFile, _ operation: Operation) throws(HDF5Error) {
    self.operation = operation
    let start = try file.bytes(at: address, count: 16, operation)
    if start.starts(with: "OHDR".utf8) {
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
    guard prefix.unsigned(1) == 1, prefix.skip(7) != nil, let count = prefix.integer(4) else {
      throw damaged
    }
    try readBlocks(from: Block(address: address &+ 16, count: count), in: file) { bytes, _ in
      var reader = ByteReader(bytes)
      var found: [Message] = []
      while reader.remaining >= 8 {
        guard let type = reader.integer(2), let size = reader.integer(2),
          let flags = reader.unsigned(1), reader.skip(3) != nil, let body = reader.take(size)
        else { return nil }
        found.append(Message(type: type, isShared: flags & 2 != 0, body: body))
      }
      return found
    }
  }

  private mutating func readVersion2(
    at address: UInt64, in file: RawFile
  ) throws(HDF5Error) {
    let fixed = try file.bytes(at: address, count: 6, operation)
    let flags = fixed[5]
    let sizeBytes = 1 << Int(flags & 3)
    let prefixBytes = 6 + (flags & 0x20 != 0 ? 16 : 0) + (flags & 0x10 != 0 ? 4 : 0) + sizeBytes
    let prefix = try file.bytes(at: address, count: prefixBytes, operation)
    var reader = ByteReader(prefix.suffix(sizeBytes))
    guard fixed[4] == 2, let count = reader.integer(sizeBytes), count <= Self.maxBytes else {
      throw damaged
    }
    let whole = try file.bytes(at: address, count: prefixBytes + count + 4, operation)
    guard MetadataChecksum.holds(whole[...]) else { throw wrongChecksum }
    let hasOrder = flags & 0x04 != 0
    let first = Block(address: address &+ UInt64(prefixBytes), count: count)
    let wrongChecksum = wrongChecksum
    try readBlocks(from: first, in: file) { bytes, isFirst throws(HDF5Error) in
      var reader = ByteReader(bytes)
      if !isFirst {
        guard bytes.starts(with: "OCHK".utf8) else { return nil }
        guard MetadataChecksum.holds(bytes) else { throw wrongChecksum }
        reader = ByteReader(bytes.dropFirst(4).dropLast(4))
      }
      var found: [Message] = []
      while reader.remaining >= (hasOrder ? 6 : 4) {
        guard let type = reader.integer(1), let size = reader.integer(2),
          let flags = reader.unsigned(1), reader.skip(hasOrder ? 2 : 0) != nil,
          let body = reader.take(size)
        else { return nil }
        found.append(Message(type: type, isShared: flags & 2 != 0, body: body))
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
      for message in found where message.type == MessageType.continuation {
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

  /// What the object is, told by its messages.
  var kind: HDF5ObjectKind {
    let types = Set(messages.map(\.type))
    if types.contains(MessageType.symbolTable) || types.contains(MessageType.linkInfo) {
      return .group
    }
    let isDataset = types.contains(MessageType.dataspace) && types.contains(MessageType.datatype)
    return isDataset ? .dataset : .other
  }
}

/// The numbers of header messages, section IV.A.2 of the format's specification.
enum MessageType {
  static let dataspace = 0x01
  static let linkInfo = 0x02
  static let datatype = 0x03
  static let oldFillValue = 0x04
  static let fillValue = 0x05
  static let link = 0x06
  static let externalFiles = 0x07
  static let layout = 0x08
  static let filters = 0x0B
  static let attribute = 0x0C
  static let sharedMessageTable = 0x0F
  static let continuation = 0x10
  static let symbolTable = 0x11
  static let attributeInfo = 0x15
  static let metadataCache = 0x18
}
