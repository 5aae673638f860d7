/// The first block of a file, read before libhdf5 follows it to the root group.
enum Superblock {
  /// Throws `.corrupt` or `.refused` unless the root group's header and the superblock's extension are sound.
  static func judge(
    _ descriptor: Int32, base: Int, _ operation: Operation
  ) throws(HDF5Error) {
    let damaged = operation.failure(.corrupt, "the file is truncated or its first block is damaged")
    // Widths do not matter until they are known.
    let unsized = RawFile(descriptor: descriptor, base: base, addressBytes: 8, lengthBytes: 8)
    let available = max(0, min(160, try unsized.size(operation) - base))
    let bytes = try unsized.bytes(at: 0, count: available, operation)
    var reader = ByteReader(bytes[...].dropFirst(8))
    guard let version = reader.integer(1), version <= 3 else { throw damaged }
    if version < 2 {
      guard reader.skip(4) != nil else { throw damaged }
    }
    guard let addressBytes = reader.integer(1), [2, 4, 8].contains(addressBytes),
      let lengthBytes = reader.integer(1), [2, 4, 8].contains(lengthBytes)
    else { throw damaged }
    let file = RawFile(
      descriptor: descriptor, base: base, addressBytes: addressBytes, lengthBytes: lengthBytes)
    if version < 2 {
      // Four addresses and the root entry's name come before the root's header.
      guard reader.skip(version == 0 ? 9 : 13) != nil, reader.skip(5 * addressBytes) != nil else {
        throw damaged
      }
    } else {
      guard reader.skip(1 + addressBytes) != nil, let extended = reader.address(addressBytes),
        reader.skip(addressBytes) != nil
      else { throw damaged }
      if let extended {
        let header = try ObjectHeader(at: extended, in: file, operation)
        try header.judgeMessages(in: file)
        guard !header.messages.contains(where: { $0.type == 0x0F || $0.type == 0x18 }) else {
          throw operation.failure(.refused, "it has shared messages or a stored metadata cache")
        }
      }
    }
    guard let root = reader.address(addressBytes), let root else { throw damaged }
    try ObjectHeader(at: root, in: file, operation).judgeMessages(in: file)
  }
}
