/// Location and encoding of a dataset's bytes, from its header.
struct StoredLayout: Sendable {
  enum Storage: Sendable {
    case compact([UInt8])
    /// The address is nil if nothing is allocated yet.
    case contiguous(address: UInt64?)
    case chunked(ChunkIndex)
  }

  let storage: Storage
  /// Extents; empty for a scalar, `[0]` for a null dataspace.
  let shape: [Int]
  /// Axes that grow without a limit.
  let unlimitedAxes: [Int]
  /// The maximum extents; the current ones in dimensions without a limit.
  let limits: [Int]
  /// Chunk extents in elements, without the element size; empty unless chunked.
  let chunk: [Int]
  /// The element size of the chunk layout, for comparison with the type's.
  let chunkElementBytes: Int?
  let compactOrContiguousBytes: Int?
  let filters: [HDF5Format.Filter]
  /// Whether chunks that reach beyond the extents are stored without filters.
  let hasUnfilteredEdges: Bool
  /// The fill value of unwritten elements, one element; nil means 0.
  let fillValue: [UInt8]?

  /// Reads and validates the header; throws `.refused` or `.corrupt`.
  init(_ header: ObjectHeader, in file: RawFile, _ operation: Operation) throws(HDF5Error) {
    if try header.single(HDF5Format.Message.externalFiles, in: file) != nil {
      throw operation.failure(
        .refused, "its values are in other files (external storage), \(UnreadStorage.repack)")
    }
    guard let space = try header.single(HDF5Format.Message.dataspace, in: file),
      let layout = try header.single(HDF5Format.Message.layout, in: file)
    else {
      throw operation.failure(.corrupt, "it has no dataspace or no layout")
    }
    let pipeline = try header.single(HDF5Format.Message.filters, in: file)
    let extents = try Extents(space, file.lengthBytes, operation)
    (shape, unlimitedAxes, limits) = (extents.shape, extents.unlimitedAxes, extents.limits)
    filters = try Self.filters(pipeline, operation)
    fillValue = try Self.fillValue(header, in: file).map(Array.init)

    let found = try LayoutMessage(layout, file, operation)
    storage = found.storage
    compactOrContiguousBytes = found.bytes
    hasUnfilteredEdges = found.hasUnfilteredEdges
    if found.isChunked {
      guard found.dimensions.count == extents.rank + 1, extents.rank > 0 else {
        throw operation.failure(
          .refused, "its chunks are damaged", expected: "chunks of rank \(extents.rank)",
          found: "rank \(found.dimensions.count - 1)")
      }
      guard found.dimensions.allSatisfy({ $0 > 0 }) else {
        throw operation.failure(.refused, "a chunk extent is 0")
      }
      chunk = found.dimensions.dropLast()
      chunkElementBytes = found.dimensions.last
    } else {
      guard filters.isEmpty else {
        throw operation.failure(.corrupt, "it has filters and no chunks")
      }
      chunk = []
      chunkElementBytes = nil
    }
  }

  private static func fillValue(
    _ header: ObjectHeader, in file: RawFile
  ) throws(HDF5Error) -> ArraySlice<UInt8>? {
    let (new, old) = (
      try header.single(HDF5Format.Message.fillValue, in: file),
      try header.single(HDF5Format.Message.oldFillValue, in: file)
    )
    let values = [new.map { FillValue($0) }, old.map { FillValue(old: $0) }]
    for value in values {
      guard let value else { continue }
      guard let value else { throw header.damaged }
      if let bytes = value.bytes { return bytes }
    }
    return nil
  }

  private static func filters(
    _ body: ArraySlice<UInt8>?, _ operation: Operation
  ) throws(HDF5Error) -> [HDF5Format.Filter] {
    guard let body else { return [] }
    let list = FilterList(body)
    var filters: [HDF5Format.Filter] = []
    for id in list.identifiers + [list.brokenOff].compactMap({ $0 }) {
      guard let filter = HDF5Format.Filter(rawValue: id) else {
        throw operation.failure(.refused, UnreadStorage.filter(id, of: operation.object))
      }
      guard !filters.contains(filter) else {
        throw operation.failure(.refused, "a filter is applied twice")
      }
      filters.append(filter)
    }
    guard list.isWhole else { throw operation.failure(.corrupt, "its filter list is damaged") }
    return filters
  }
}

/// The filters of a Filter Pipeline message.
struct FilterList {
  /// Those whose entries are whole, in the order in which they were applied.
  private(set) var identifiers: [Int] = []
  /// The filter whose entry breaks off.
  private(set) var brokenOff: Int?
  /// Whether nothing of the message is damaged.
  private(set) var isWhole = false

  init(_ body: ArraySlice<UInt8>) {
    var reader = ByteReader(body)
    guard let version = reader.integer(1), HDF5Format.Pipeline.versions.contains(version),
      let count = reader.integer(1), count <= HDF5Format.Pipeline.maxFilters
    else { return }
    let isPacked = version >= HDF5Format.Pipeline.firstPackedVersion
    guard reader.skip(isPacked ? 0 : 6) != nil else { return }
    for _ in 0..<count {
      guard let id = reader.integer(2) else { return }
      let isNamed = !isPacked || id >= HDF5Format.Pipeline.firstNamedFilter
      guard let nameBytes = isNamed ? reader.integer(2) : 0, reader.skip(2) != nil,
        let values = reader.integer(2),
        reader.skip(isPacked ? nameBytes : (nameBytes + 7) / 8 * 8) != nil,
        reader.skip(4 * (values + (isPacked ? 0 : values % 2))) != nil
      else {
        brokenOff = id
        return
      }
      identifiers.append(id)
    }
    isWhole = true
  }
}

/// A layout message of any version.
private struct LayoutMessage {
  var storage = StoredLayout.Storage.contiguous(address: nil)
  var bytes: Int?
  var isChunked = false
  var hasUnfilteredEdges = false
  /// Chunk extents, the element size last.
  var dimensions: [Int] = []

  init(_ body: ArraySlice<UInt8>, _ file: RawFile, _ operation: Operation) throws(HDF5Error) {
    let damaged = operation.failure(.corrupt, "its layout is damaged")
    var reader = ByteReader(body)
    guard let version = reader.integer(1) else { throw damaged }
    let versions = HDF5Format.Layout.versions
    guard versions.contains(version) else {
      throw operation.failure(
        .refused,
        expected: "a layout of version \(versions.lowerBound) to \(versions.upperBound)",
        found: "version \(version)")
    }
    let hasSizes = version >= HDF5Format.Layout.firstVersionWithSizes
    let hasIndex = version >= HDF5Format.Layout.firstVersionWithIndexes
    guard let stated = hasSizes ? 0 : reader.integer(1),
      let layoutClass = reader.integer(1).flatMap(HDF5Format.Layout.Class.init(rawValue:))
    else { throw damaged }
    guard layoutClass == .virtual || hasSizes || reader.skip(5) != nil else { throw damaged }
    switch layoutClass {
    case .virtual:
      throw operation.failure(
        .refused, "it is a virtual dataset, made of other datasets, \(UnreadStorage.repack)")
    case .compact:
      guard reader.skip(4 * stated) != nil, let size = reader.integer(hasSizes ? 2 : 4),
        let data = reader.take(size)
      else { throw damaged }
      storage = .compact(Array(data))
      bytes = size
    case .contiguous:
      guard let address = reader.address(file.addressBytes) else { throw damaged }
      storage = .contiguous(address: address)
      if hasSizes {
        guard let size = reader.integer(file.lengthBytes) else { throw damaged }
        bytes = size
      }
    case .chunked where hasIndex:
      guard let flags = reader.integer(1), let rank = reader.integer(1),
        let width = reader.integer(1)
      else { throw damaged }
      isChunked = true
      hasUnfilteredEdges = flags & HDF5Format.Layout.hasUnfilteredEdges != 0
      for _ in 0..<rank {
        guard let extent = reader.integer(width) else { throw damaged }
        dimensions.append(extent)
      }
      guard let kind = indexKind(&reader, flags, file),
        let address = reader.address(file.addressBytes)
      else { throw damaged }
      storage = .chunked(ChunkIndex(kind: kind, address: address))
    case .chunked:
      guard let count = hasSizes ? reader.integer(1) : stated,
        let address = reader.address(file.addressBytes)
      else { throw damaged }
      isChunked = true
      storage = .chunked(ChunkIndex(kind: .version1Tree, address: address))
      for _ in 0..<count {
        guard let extent = reader.integer(4) else { throw damaged }
        dimensions.append(extent)
      }
    }
  }

  private func indexKind(
    _ reader: inout ByteReader, _ flags: Int, _ file: RawFile
  ) -> ChunkIndex.Kind? {
    guard let index = reader.integer(1).flatMap(HDF5Format.ChunkIndex.init(rawValue:)),
      reader.skip(index.parameterBytes) != nil
    else { return nil }
    switch index {
    case .singleChunk:
      guard flags & HDF5Format.Layout.hasFilteredSingleChunk != 0 else {
        return .single(storedBytes: nil, skippedFilters: 0)
      }
      guard let stored = reader.integer(file.lengthBytes), let skipped = reader.unsigned(4) else {
        return nil
      }
      return .single(storedBytes: stored, skippedFilters: UInt32(truncatingIfNeeded: skipped))
    case .implicit: return .implicit
    case .fixedArray: return .fixedArray
    case .extensibleArray: return .extensibleArray
    case .version2Tree: return .version2Tree
    }
  }
}
