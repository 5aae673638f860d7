/// Finds chunks in the newer format's indexes of fixed datasets without libhdf5, which trusts them.
struct FixedChunkIndex: Sendable {
  enum Kind: Sendable {
    /// One chunk; with filters, its size and skipped filters are stored.
    case single(storedBytes: Int?, skippedFilters: UInt32)
    /// All chunks in a row, unfiltered.
    case implicit
    /// A header and one block of entries, in pages if there are many.
    case array
  }

  let kind: Kind
  let address: UInt64?

  /// The chunk that starts at `offset`, in elements; nil if it was never written.
  func entry(
    at offset: [Int], _ layout: StoredLayout, chunkBytes: Int, in file: RawFile,
    _ operation: Operation
  ) throws(HDF5Error) -> ChunkEntry? {
    guard let address else { return nil }
    let damaged = operation.failure(.corrupt, "its chunk index is damaged")
    var index = 0
    for axis in offset.indices {
      let count = (max(layout.limits[axis], 1) - 1) / layout.chunk[axis] + 1
      let (scaled, overflow) = index.multipliedReportingOverflow(by: count)
      guard !overflow, offset[axis] / layout.chunk[axis] < count else { throw damaged }
      index = scaled + offset[axis] / layout.chunk[axis]
    }
    switch kind {
    case .single(let storedBytes, let skippedFilters):
      guard index == 0 else { throw damaged }
      return ChunkEntry(
        address: address, storedBytes: storedBytes ?? chunkBytes, skippedFilters: skippedFilters)
    case .implicit:
      guard let distance = ExtentCheck.product([index], chunkBytes) else { throw damaged }
      let (start, overflow) = address.addingReportingOverflow(index == 0 ? 0 : UInt64(distance))
      guard !overflow else { throw damaged }
      return ChunkEntry(address: start, storedBytes: chunkBytes, skippedFilters: 0)
    case .array:
      return try arrayEntry(index, at: address, chunkBytes: chunkBytes, in: file, operation)
    }
  }

  private func arrayEntry(
    _ index: Int, at address: UInt64, chunkBytes: Int, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) -> ChunkEntry? {
    let damaged = operation.failure(.corrupt, "its chunk index is damaged")
    let header = try file.bytes(
      at: address, count: 8 + file.lengthBytes + file.addressBytes, operation)
    var reader = ByteReader(header[...].dropFirst(5))
    guard header.starts(with: HDF5Format.FixedArray.signature.utf8),
      let client = reader.integer(1).flatMap(HDF5Format.FixedArray.Client.init(rawValue:)),
      let entryBytes = reader.integer(1), let pageBits = reader.integer(1), pageBits < 32,
      let count = reader.integer(file.lengthBytes), let block = reader.address(file.addressBytes),
      index < count
    else { throw damaged }
    guard let block else { return nil }
    let sizeBytes = entryBytes - file.addressBytes - 4
    guard client == .filteredChunks ? (1...8).contains(sizeBytes) : entryBytes == file.addressBytes
    else {
      throw damaged
    }
    let pageEntries = 1 << pageBits
    var distance = 6 + file.addressBytes
    if count > pageEntries {
      let page = index / pageEntries
      let bitmapBytes = (count / pageEntries + (count % pageEntries > 0 ? 1 : 0) + 7) / 8
      let bits = try file.bytes(
        at: try sum(block, distance + page / 8, damaged), count: 1, operation)
      guard bits[0] & 0x80 >> UInt8(page % 8) != 0 else { return nil }
      let pages = page.multipliedReportingOverflow(by: pageEntries * entryBytes + 4)
      guard !pages.overflow, pages.partialValue < Int.max / 2, bitmapBytes < Int.max / 4 else {
        throw damaged
      }
      distance += bitmapBytes + 4 + pages.partialValue + index % pageEntries * entryBytes
    } else {
      distance += index * entryBytes
    }
    let entry = try file.bytes(
      at: try sum(block, distance, damaged), count: entryBytes, operation)
    reader = ByteReader(entry[...])
    guard let chunk = reader.address(file.addressBytes) else { throw damaged }
    guard let chunk else { return nil }
    guard client == .filteredChunks else {
      return ChunkEntry(address: chunk, storedBytes: chunkBytes, skippedFilters: 0)
    }
    guard let stored = reader.integer(sizeBytes), let skipped = reader.unsigned(4) else {
      throw damaged
    }
    return ChunkEntry(
      address: chunk, storedBytes: stored, skippedFilters: UInt32(truncatingIfNeeded: skipped))
  }

  private func sum(
    _ address: UInt64, _ distance: Int, _ damaged: HDF5Error
  ) throws(HDF5Error) -> UInt64 {
    let (sum, overflow) = address.addingReportingOverflow(UInt64(distance))
    guard !overflow else { throw damaged }
    return sum
  }
}

/// Location and encoding of a chunk.
struct ChunkEntry {
  let address: UInt64
  let storedBytes: Int
  /// Bit i set: filter i was skipped for this chunk.
  let skippedFilters: UInt32
}
