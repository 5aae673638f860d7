/// Where the chunks of a dataset are listed, as its layout message says.
struct ChunkIndex: Sendable {
  enum Kind: Sendable {
    /// A version 1 B-tree, the only kind of the older format.
    case version1Tree
    /// One chunk; with filters, its size and skipped filters are stored.
    case single(storedBytes: Int?, skippedFilters: UInt32)
    /// All chunks in a row, unfiltered.
    case implicit
    /// A fixed number of chunks.
    case fixedArray
    /// Chunks that grow along one axis.
    case extensibleArray
    /// Chunks that grow along several axes.
    case version2Tree
  }

  let kind: Kind
  /// nil if no chunk is allocated yet.
  let address: UInt64?

  /// Opens the index of a dataset; nil if no chunk is allocated yet.
  func open(
    _ layout: StoredLayout, chunkBytes: Int, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) -> (any ChunkSource)? {
    guard let address else { return nil }
    let damaged = operation.failure(.corrupt, "its chunk index is damaged")
    switch kind {
    case .version1Tree:
      return ChunkTree(root: address, rank: layout.shape.count, file: file, operation: operation)
    case .single(let storedBytes, let skippedFilters):
      let only = ChunkEntry(
        address: address, storedBytes: storedBytes ?? chunkBytes, skippedFilters: skippedFilters)
      return SingleChunk(entry: only, damaged: damaged)
    case .implicit:
      return ImplicitChunks(
        start: address, grid: try ChunkGrid(layout, operation), chunkBytes: chunkBytes,
        damaged: damaged)
    case .fixedArray:
      return try FixedArray(
        at: address, try ChunkGrid(layout, operation), chunkBytes: chunkBytes, in: file, operation)
    case .extensibleArray:
      guard layout.unlimitedAxes.count == 1 else { throw damaged }
      return try ExtensibleArray(
        at: address, try ChunkGrid(layout, operation), chunkBytes: chunkBytes, in: file, operation)
    case .version2Tree:
      return try GrowingChunkTree(
        at: address, layout, chunkBytes: chunkBytes, in: file, operation)
    }
  }
}

/// Location and encoding of a chunk.
struct ChunkEntry: Sendable {
  let address: UInt64
  let storedBytes: Int
  /// Bit i set: filter i was skipped for this chunk.
  let skippedFilters: UInt32
}

/// Finds chunks without libhdf5, which trusts the stored sizes and addresses.
protocol ChunkSource: Sendable {
  /// The chunk that starts at `offset`, in elements; nil if it was never written.
  mutating func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry?
}

/// Numbers chunks in the order of the indexes that are arrays: row-major, an axis without a limit first.
struct ChunkGrid {
  private let chunk: [Int]
  private let counts: [Int]
  private let axes: [Int]

  /// Throws `.corrupt` if the dataset is made of more chunks than can be counted.
  init(_ layout: StoredLayout, _ operation: Operation) throws(HDF5Error) {
    chunk = layout.chunk
    counts = layout.chunk.indices.map { (max(layout.limits[$0], 1) - 1) / layout.chunk[$0] + 1 }
    let growing = layout.unlimitedAxes.prefix(1)
    axes = growing + layout.chunk.indices.filter { !growing.contains($0) }
    guard ExtentCheck.product(counts, 1) != nil else {
      throw operation.failure(.corrupt, "its extents contradict each other")
    }
  }

  /// The number of the chunk that starts at `offset`; nil outside.
  func number(of offset: [Int]) -> Int? {
    var number = 0
    for axis in axes {
      let position = offset[axis] / chunk[axis]
      guard position < counts[axis] else { return nil }
      number = number * counts[axis] + position
    }
    return number
  }
}

/// The index of a dataset that is one chunk.
private struct SingleChunk: ChunkSource {
  let entry: ChunkEntry
  let damaged: HDF5Error

  func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry? {
    guard offset.allSatisfy({ $0 == 0 }) else { throw damaged }
    return entry
  }
}

/// The index that is none: all chunks lie in a row.
private struct ImplicitChunks: ChunkSource {
  let start: UInt64
  let grid: ChunkGrid
  let chunkBytes: Int
  let damaged: HDF5Error

  func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry? {
    guard let number = grid.number(of: offset) else { throw damaged }
    let (distance, tooFar) = number.multipliedReportingOverflow(by: chunkBytes)
    guard !tooFar else { throw damaged }
    let (address, overflow) = start.addingReportingOverflow(UInt64(distance))
    guard !overflow else { throw damaged }
    return ChunkEntry(address: address, storedBytes: chunkBytes, skippedFilters: 0)
  }
}

/// The index of chunks that grow along several axes.
private struct GrowingChunkTree: ChunkSource {
  private var tree: BTreeV2
  private let records: ChunkRecords
  private let chunk: [Int]
  private let damaged: HDF5Error

  init(
    at address: UInt64, _ layout: StoredLayout, chunkBytes: Int, in file: RawFile,
    _ operation: Operation
  ) throws(HDF5Error) {
    damaged = operation.failure(.corrupt, "its chunk index is damaged")
    chunk = layout.chunk
    let isFiltered = !layout.filters.isEmpty
    tree = try BTreeV2(
      at: address, [isFiltered ? .filteredChunks : .chunks], of: "chunk index", in: file, operation)
    let records = ChunkRecords(
      isFiltered: isFiltered, byteCount: tree.recordBytes - 8 * chunk.count, chunkBytes: chunkBytes,
      in: file)
    guard let records else { throw damaged }
    self.records = records
  }

  mutating func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry? {
    let (chunk, byteCount, damaged) = (chunk, records.byteCount, damaged)
    let record = try tree.record { record throws(HDF5Error) in
      // The position in chunks follows, 8 bytes an axis.
      var reader = ByteReader(record.dropFirst(byteCount))
      for axis in chunk.indices {
        guard let position = reader.unsigned(8) else { throw damaged }
        let wanted = UInt64(offset[axis] / chunk[axis])
        if position != wanted { return position < wanted ? .before : .after }
      }
      return .equal
    }
    return try record.flatMap { record throws(HDF5Error) in
      guard let entry = records.entry(record) else { throw damaged }
      return entry
    }
  }
}

/// The entries of an index: addresses, for filtered chunks with sizes and skipped filters.
struct ChunkRecords {
  let byteCount: Int
  /// Bytes of a size; nil without filters.
  private let sizeBytes: Int?
  private let addressBytes: Int
  private let chunkBytes: Int

  /// nil for an impossible number of bytes.
  init?(isFiltered: Bool, byteCount: Int, chunkBytes: Int, in file: RawFile) {
    self.byteCount = byteCount
    self.chunkBytes = chunkBytes
    addressBytes = file.addressBytes
    // Layouts of version 5 store all sizes in the width of lengths, older ones in what the largest takes.
    let sizeBytes = byteCount - addressBytes - 4
    guard isFiltered ? (1...8).contains(sizeBytes) : byteCount == addressBytes else { return nil }
    self.sizeBytes = isFiltered ? sizeBytes : nil
  }

  /// The entry at the start of bytes, itself nil if it was never written; nil if it is damaged.
  func entry(_ bytes: ArraySlice<UInt8>) -> ChunkEntry?? {
    var reader = ByteReader(bytes)
    guard let address = reader.address(addressBytes) else { return nil }
    guard let address else { return .some(nil) }
    guard let sizeBytes else {
      return ChunkEntry(address: address, storedBytes: chunkBytes, skippedFilters: 0)
    }
    guard let stored = reader.integer(sizeBytes), let skipped = reader.unsigned(4) else {
      return nil
    }
    return ChunkEntry(
      address: address, storedBytes: stored, skippedFilters: UInt32(truncatingIfNeeded: skipped))
  }
}
