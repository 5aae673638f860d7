internal import Platform
import Synchronization

/// Copies the stored bytes of rows for any layout; every stored size is checked before use.
struct RowReader {
  private let dataset: HDF5Dataset
  private let layout: StoredLayout
  private let shape: [Int]
  private let rowBytes: Int
  private let operation: Operation
  private let decoder: ChunkDecoder
  /// nil until chunks are read, and while none is allocated.
  private var source: (any ChunkSource)?

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
      Self.fill(buffer, try fillElement())
    case .contiguous(let address?):
      try dataset.file.raw.read(at: address + UInt64(start), into: buffer, operation)
    case .chunked:
      try readChunks(rows, into: buffer)
    }
  }

  private mutating func readChunks(
    _ rows: Range<Int>, into buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    source = dataset.takeChunkSource()
    if source == nil { source = try openIndex() }
    defer { dataset.keepChunkSource(source) }
    var start = rows.lowerBound
    while start < rows.upperBound {
      let window = window(around: start)
      let part = start..<min(window.upperBound, rows.upperBound)
      let target = UnsafeMutableRawBufferPointer(
        rebasing: buffer[((start - rows.lowerBound) * rowBytes)...].prefix(part.count * rowBytes))
      if part == window || layout.filters.isEmpty {
        try decode(part, into: target)
      } else {
        try copy(part, of: window, into: target)
      }
      start = part.upperBound
    }
  }

  private func openIndex() throws(HDF5Error) -> (any ChunkSource)? {
    guard case .chunked(let index) = layout.storage else { return nil }
    return try index.open(
      layout, chunkBytes: decoder.chunkBytes, in: dataset.file.raw, operation)
  }

  /// The rows around one that are decoded together: those of its chunks, or as many as may be kept.
  private func window(around row: Int) -> Range<Int> {
    let band = row / layout.chunk[0] * layout.chunk[0]
    let rows = max(1, min(layout.chunk[0], DecodedRows.maxWindowBytes / rowBytes))
    let start = band + (row - band) / rows * rows
    return start..<min(start + rows, band + min(layout.chunk[0], shape[0] - band))
  }

  /// Copies rows of a window, which is decoded first unless it is kept.
  private mutating func copy(
    _ rows: Range<Int>, of window: Range<Int>, into target: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    // Another thread may be decoding these rows, and would decode them for this one too.
    try dataset.decoding.withLock { _ throws(HDF5Error) in
      var bytes = dataset.file.decodedRows.withLock {
        $0.rows(from: window.lowerBound, of: ObjectIdentifier(dataset))
      }
      if bytes == nil {
        let count = window.count * rowBytes
        dataset.file.decodedRows.withLock {
          $0.makeRoom(for: count, of: ObjectIdentifier(dataset))
        }
        let decoded = try [UInt8](unsafeCapacity: count) {
          buffer, initialized throws(HDF5Error) in
          try decode(
            window,
            into: UnsafeMutableRawBufferPointer(
              rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
          initialized = count
        }
        dataset.file.decodedRows.withLock {
          $0.keep(decoded, from: window.lowerBound, of: ObjectIdentifier(dataset))
        }
        bytes = decoded
      }
      let start = (rows.lowerBound - window.lowerBound) * rowBytes
      target.copyBytes(from: (bytes ?? [])[start..<start + target.count])
    }
  }

  /// Decodes rows of one band of chunks.
  private mutating func decode(
    _ rows: Range<Int>, into buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    let band = rows.lowerBound / layout.chunk[0] * layout.chunk[0]
    var offset = [band] + [Int](repeating: 0, count: layout.chunk.count - 1)
    repeat {
      try readChunk(at: offset, rows, into: buffer)
    } while advance(&offset)
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
    guard let entry = try source?.entry(at: offset) else { return try fill(part, of: buffer) }
    if layout.filters.isEmpty {
      guard entry.storedBytes == decoder.chunkBytes else {
        throw operation.failure(
          .corrupt, "a chunk is damaged", expected: "\(decoder.chunkBytes) bytes",
          found: "\(entry.storedBytes)")
      }
      return try readPlain(part, at: entry.address, into: buffer)
    }
    let stored = try dataset.file.raw.bytes(
      at: entry.address, count: entry.storedBytes, operation)
    let isPlain = layout.hasUnfilteredEdges && reachesBeyond(offset)
    let bytes = try decoder.decode(stored, skipped: isPlain ? .max : entry.skippedFilters)
    bytes.withUnsafeBytes { part.copy(from: $0, to: buffer) }
  }

  private func reachesBeyond(_ offset: [Int]) -> Bool {
    shape.indices.contains { shape[$0] - offset[$0] < layout.chunk[$0] }
  }

  /// Reads only the rows of a chunk without filters.
  private func readPlain(
    _ part: ChunkPart, at chunk: UInt64, into buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    let source = part.sourceRows
    let (address, overflow) = chunk.addingReportingOverflow(UInt64(source.lowerBound))
    guard !overflow else { throw operation.failure(.corrupt, "a chunk is damaged") }
    if part.isContiguous {
      let target = UnsafeMutableRawBufferPointer(rebasing: buffer[part.targetRange])
      return try dataset.file.raw.read(at: address, into: target, operation)
    }
    let bytes = try dataset.file.raw.bytes(at: address, count: source.count, operation)
    bytes.withUnsafeBytes { part.copy(from: $0, startingAt: source.lowerBound, to: buffer) }
  }

  private func fill(
    _ part: ChunkPart, of buffer: UnsafeMutableRawBufferPointer
  ) throws(HDF5Error) {
    let element = try fillElement()
    part.forEachRun { _, target, count in
      Self.fill(UnsafeMutableRawBufferPointer(rebasing: buffer[target..<target + count]), element)
    }
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
