internal import Platform

/// The first block of a file: width of addresses and location of the root group.
struct Superblock {
  let addressBytes: Int
  let lengthBytes: Int
  /// Address of the root group's header.
  let root: UInt64
  private(set) var sharedMessages = SharedMessages()

  /// Reads the block at `base`, where the signature lies; throws `.corrupt` or `.refused`.
  init(_ descriptor: Descriptor, base: Int, _ operation: Operation) throws(HDF5Error) {
    let damaged = operation.failure(.corrupt, "the file is truncated or its first block is damaged")
    // Widths do not matter until they are known.
    let unsized = RawFile(descriptor: descriptor, base: base, addressBytes: 8, lengthBytes: 8)
    let size = try unsized.size(operation)
    let bytes = try unsized.bytes(at: 0, count: max(0, min(160, size - base)), operation)
    var reader = ByteReader(bytes[...].dropFirst(8))
    guard let version = reader.integer(1), version <= HDF5Format.Superblock.newestVersion else {
      throw damaged
    }
    let isOld = version < HDF5Format.Superblock.firstVersionWithExtension
    let widths = HDF5Format.Superblock.widths
    guard !isOld || reader.skip(4) != nil,
      let addressBytes = reader.integer(1), widths.contains(addressBytes),
      let lengthBytes = reader.integer(1), widths.contains(lengthBytes)
    else { throw damaged }
    (self.addressBytes, self.lengthBytes) = (addressBytes, lengthBytes)
    // Flags and node sizes of the older versions are not needed.
    let hasChunkNodes = version >= HDF5Format.Superblock.firstVersionWithChunkNodes
    guard isOld ? reader.skip(hasChunkNodes ? 9 : 5) != nil : true,
      let flags = reader.integer(isOld ? 4 : 1), let stated = reader.integer(addressBytes)
    else { throw damaged }
    guard
      version < HDF5Format.Superblock.firstVersionWithFlags
        || flags & HDF5Format.Superblock.isOpenForWriting == 0
    else {
      throw operation.failure(
        .corrupt,
        "a writer has not closed it; if no program writes it, 'h5clear -s in.h5' marks it as closed"
      )
    }
    // If bytes were inserted before the file, its addresses still count from its former start.
    func checkEnd(_ end: Int) throws(HDF5Error) {
      let (length, overflow) = end.subtractingReportingOverflow(stated)
      guard !overflow, length <= size - base else {
        throw operation.failure(
          .corrupt, "the file is truncated", expected: "\(length) bytes", found: "\(size - base)")
      }
    }
    guard let extra = reader.address(addressBytes), let end = reader.integer(addressBytes) else {
      throw damaged
    }
    try checkEnd(end)
    if isOld {
      guard let driver = reader.address(addressBytes) else { throw damaged }
      guard driver == nil else {
        throw operation.failure(.refused, "it is one part of a file in several parts")
      }
      guard reader.skip(lengthBytes) != nil else { throw damaged }
    }
    guard let root = reader.address(addressBytes), let root else { throw damaged }
    self.root = root
    guard !isOld else { return }
    guard reader.skip(4) != nil, MetadataChecksum.holds(bytes[..<reader.position]) else {
      throw damaged
    }
    guard let extra else { return }
    let file = RawFile(
      descriptor: descriptor, base: base, addressBytes: addressBytes, lengthBytes: lengthBytes)
    let header = try ObjectHeader(at: extra, in: file, operation)
    guard try header.single(HDF5Format.Message.metadataCache, in: file) == nil else {
      throw operation.failure(
        .refused, "it has a stored metadata cache, \(UnreadStorage.repack)")
    }
    if let table = try header.single(HDF5Format.Message.sharedMessageTable, in: file) {
      sharedMessages = try SharedMessages(table, in: file, operation)
    }
  }
}
