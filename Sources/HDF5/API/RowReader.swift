/// Copies the stored bytes of rows for any layout; every stored size is checked before use.
struct RowReader {
  private let dataset: HDF5Dataset
  private let layout: StoredLayout
  private let shape: [Int]
  private let rowBytes: Int
  private let operation: Operation
  private let decoder: ChunkDecoder
  private var tree: ChunkTree?

  init(
    _ dataset: HDF5Dataset, _ layout: StoredLayout, _ operation: Operation
  ) throws(HDF5Error) {
    self.dataset = dataset
    self.layout = layout
    self.operation = operation
    shape = layout.shape
    let elementBytes = dataset.type.byteCount
    guard let rowBytes = ExtentCheck.product(Array(shape.dropFirst()), elementBytes)
    else { throw operation.failure(.corrupt, "its extents contradict each other") }
    self.rowBytes = shape.dropFirst().contains(0) ? 0 : rowBytes
    decoder = ChunkDecoder(
      filters: layout.filters, chunkBytes: ExtentCheck.product(layout.chunk, elementBytes) ?? 0,
      elementBytes: elementBytes, operation: operation)
    if case .chunkTree(let root?) = layout.storage {
      tree = ChunkTree(root: root, rank: shape.count, file: dataset.file.raw, operation: operation)
    }
  }

  /// Fills `buffer`, which holds exactly the bytes of `rows`.
  mutating func read(
    _ rows: Range<Int>, into buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    guard !buffer.isEmpty else { return }
    let start = rows.lowerBound * rowBytes
    switch layout.storage {
    case .compact(let bytes):
      buffer.copyBytes(from: bytes[start..<start + buffer.count])
    case .contiguous(nil):
      try fill(buffer)
    case .contiguous(let address?):
      try dataset.file.raw.read(at: address + UInt64(start), into: buffer, operation)
    case .chunkTree, .chunkIndex:
      try readChunks(rows, into: buffer)
    }
  }

  private mutating func readChunks(
    _ rows: Range<Int>, into buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    let chunk = layout.chunk
    let firstBand = rows.lowerBound / chunk[0] * chunk[0]
    for band in stride(from: firstBand, to: rows.upperBound, by: chunk[0]) {
      var offset = [band] + [Int](repeating: 0, count: chunk.count - 1)
      repeat {
        try readChunk(at: offset, rows, into: buffer)
      } while advance(&offset)
    }
  }

  /// Steps to the next chunk of the same band; false after the last.
  private func advance(_ offset: inout [Int]) -> Bool {
    for axis in shape.indices.dropFirst().reversed() {
      offset[axis] += layout.chunk[axis]
      if offset[axis] < shape[axis] { return true }
      offset[axis] = 0
    }
    return false
  }

  private mutating func readChunk(
    at offset: [Int], _ rows: Range<Int>, into buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    let part = ChunkPart(
      offset: offset, chunk: layout.chunk, shape: shape, rows: rows,
      elementBytes: dataset.type.byteCount)
    if let bytes = dataset.decodedChunk(at: offset) {
      bytes.withUnsafeBytes { part.copy(from: $0, to: buffer) }
      return
    }
    guard let entry = try entry(at: offset) else { return try fill(part, of: buffer) }
    if layout.filters.isEmpty {
      guard entry.storedBytes == decoder.chunkBytes else {
        throw operation.failure(
          .corrupt, "a chunk is damaged", expected: "\(decoder.chunkBytes) bytes",
          found: "\(entry.storedBytes)")
      }
      if part.isContiguous {
        let target = UnsafeMutableRawBufferPointer(rebasing: buffer[part.targetRange])
        let address = entry.address.addingReportingOverflow(UInt64(part.sourceStart))
        guard !address.overflow else { throw operation.failure(.corrupt, "a chunk is damaged") }
        return try dataset.file.raw.read(at: address.partialValue, into: target, operation)
      }
    }
    let stored = try dataset.file.raw.bytes(
      at: entry.address, count: entry.storedBytes, operation)
    let bytes = try decoder.decode(stored, skipped: entry.skippedFilters)
    bytes.withUnsafeBytes { part.copy(from: $0, to: buffer) }
    dataset.keepDecoded(bytes, at: offset)
  }

  private mutating func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry? {
    if case .chunkIndex(let index) = layout.storage {
      return try index.entry(
        at: offset, layout, chunkBytes: decoder.chunkBytes, in: dataset.file.raw, operation)
    }
    return try tree?.entry(at: offset)
  }

  private func fill(
    _ part: ChunkPart, of buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    let element = try fillElement()
    part.forEachRun { _, target, count in
      Self.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[target..<target + count]), element)
    }
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(HDF5Error) {
    Self.fill(buffer, try fillElement())
  }

  private static func fill(_ buffer: UnsafeMutableRawBufferPointer, _ element: [UInt8]) {
    if element.allSatisfy({ $0 == 0 }) {
      buffer.initializeMemory(as: UInt8.self, repeating: 0)
    } else {
      for index in buffer.indices { buffer[index] = element[index % element.count] }
    }
  }

  /// The fill value of unwritten elements, one element.
  private func fillElement() throws(HDF5Error) -> [UInt8] {
    let byteCount = dataset.type.byteCount
    // A fill value of variable length would be a reference.
    guard let fill = layout.fillValue, !fill.isEmpty, !dataset.type.isInHeap else {
      return [UInt8](repeating: 0, count: byteCount)
    }
    guard fill.count == byteCount else {
      throw operation.failure(
        .corrupt, expected: "a fill value of \(byteCount) bytes", found: "\(fill.count)")
    }
    return fill
  }
}
