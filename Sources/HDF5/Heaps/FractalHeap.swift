/// Objects of any size by identifiers: links, attributes and shared messages of the newer format.
struct FractalHeap {
  private typealias Numbers = HDF5Format.FractalHeap

  private let file: RawFile
  private let operation: Operation
  private let what: String
  private let damaged: HDF5Error
  private let table: DoublingTable
  private let isChecked: Bool
  private let root: UInt64?
  /// The root is a direct block if it has no rows.
  private let rootRows: Int
  private let identifierBytes: Int
  /// Bytes of an object's offset and of its length in an identifier.
  private let offsetBytes: Int
  private let lengthBytes: Int
  private let hugeObjects: UInt64?
  private var hugeTree: BTreeV2?
  /// Budget of bytes: each block and huge object is stored once, and is read once by those who ask in the heap's order.
  private var budget: Int
  private var block: (start: Int, bytes: [UInt8])?
  private var indirectBlocks: [UInt64: [UInt64?]] = [:]

  /// Reads the heap's header; `what` names the list in messages, as in `its list of links is damaged`.
  init(
    at address: UInt64, of what: String, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) {
    self.file = file
    self.operation = operation
    self.what = what
    damaged = operation.failure(.corrupt, "its \(what) is damaged")
    budget = try file.size(operation)
    let (addressBytes, lengthBytes) = (file.addressBytes, file.lengthBytes)
    let header = try file.bytes(
      at: address, count: 26 + 12 * lengthBytes + 3 * addressBytes, operation)
    var reader = ByteReader(header[...].dropFirst(4))
    guard header.starts(with: Numbers.headerSignature.utf8),
      reader.integer(1) == Numbers.version, let identifierBytes = reader.integer(2),
      let filterBytes = reader.integer(2)
    else { throw damaged }
    guard filterBytes == 0 else {
      throw operation.failure(
        .refused, "its \(what) is compressed, which is not read; \(UnreadStorage.copyGroups)")
    }
    guard MetadataChecksum.holds(header[...]), let flags = reader.integer(1),
      let maxManagedBytes = reader.integer(4), reader.skip(lengthBytes) != nil,
      let hugeObjects = reader.address(addressBytes),
      reader.skip(9 * lengthBytes + addressBytes) != nil, let width = reader.integer(2),
      let startBytes = reader.integer(lengthBytes),
      let maxDirectBytes = reader.integer(lengthBytes), let sizeBits = reader.integer(2),
      reader.skip(2) != nil, let root = reader.address(addressBytes),
      let rootRows = reader.integer(2),
      let table = DoublingTable(
        width: width, startBytes: startBytes, maxDirectBytes: maxDirectBytes, sizeBits: sizeBits),
      rootRows <= table.maxRows, maxDirectBytes <= Numbers.maxDirectBytes
    else { throw damaged }
    self.table = table
    self.identifierBytes = identifierBytes
    self.hugeObjects = hugeObjects
    self.root = root
    self.rootRows = rootRows
    isChecked = flags & Numbers.hasChecksums != 0
    offsetBytes = (sizeBits + 7) / 8
    let managedBits = Int.bitWidth - maxManagedBytes.leadingZeroBitCount
    self.lengthBytes = min(
      (maxDirectBytes.trailingZeroBitCount + 7) / 8, max(1, (managedBits + 7) / 8))
    guard 1 + offsetBytes + self.lengthBytes <= identifierBytes else { throw damaged }
  }

  /// Identifiers in the order of their objects in the heap.
  func sorted(_ identifiers: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
    identifiers.map { (position($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private func position(_ identifier: ArraySlice<UInt8>) -> UInt64 {
    var reader = ByteReader(identifier.dropFirst())
    return reader.unsigned(offsetBytes) ?? 0
  }

  /// The object of an identifier.
  mutating func object(_ identifier: ArraySlice<UInt8>) throws(HDF5Error) -> ArraySlice<UInt8> {
    var reader = ByteReader(identifier)
    guard identifier.count == identifierBytes, let head = reader.integer(1),
      head & Numbers.identifierVersionMask == 0
    else { throw damaged }
    switch Numbers.Kind(rawValue: head & Numbers.kindMask) {
    case .managed?:
      guard let offset = reader.integer(offsetBytes), let count = reader.integer(lengthBytes)
      else { throw damaged }
      return try managed(at: offset, count: count)
    case .huge?: return try huge(&reader)
    case .tiny?:
      var count = head & Numbers.tinyLengthMask
      if identifierBytes - 1 > Numbers.maxShortTinyBytes + 1 {
        guard let low = reader.integer(1) else { throw damaged }
        count = count << 8 | low
      }
      guard let object = reader.take(count + 1) else { throw damaged }
      return object
    case nil: throw damaged
    }
  }

  private mutating func spend(_ count: Int) throws(HDF5Error) {
    budget -= count
    guard budget >= 0 else { throw damaged }
  }

  private mutating func huge(_ reader: inout ByteReader) throws(HDF5Error) -> ArraySlice<UInt8> {
    // Identifiers that are long enough hold the location itself.
    if reader.remaining < file.addressBytes + file.lengthBytes {
      guard let hugeObjects, let key = reader.unsigned(min(8, reader.remaining)) else {
        throw damaged
      }
      if hugeTree == nil {
        hugeTree = try BTreeV2(at: hugeObjects, [.hugeObjects], of: what, in: file, operation)
      }
      guard var tree = hugeTree else { throw damaged }
      let keyStart = file.addressBytes + file.lengthBytes
      let record = try tree.record { (record) throws(HDF5Error) in
        var found = ByteReader(record.dropFirst(keyStart))
        guard let found = found.unsigned(file.lengthBytes) else { throw damaged }
        return found == key ? .equal : found < key ? .before : .after
      }
      hugeTree = tree
      guard let record, tree.readBytes <= (try file.size(operation)) else { throw damaged }
      reader = ByteReader(record)
    }
    guard let address = reader.address(file.addressBytes), let address,
      let count = reader.integer(file.lengthBytes)
    else { throw damaged }
    try spend(count)
    return try file.bytes(at: address, count: count, operation)[...]
  }

  private mutating func managed(
    at offset: Int, count: Int
  ) throws(HDF5Error) -> ArraySlice<UInt8> {
    let (start, bytes) = try directBlock(at: offset)
    let first = offset - start
    guard first >= blockHeaderBytes + (isChecked ? 4 : 0), count <= bytes.count - first else {
      throw damaged
    }
    return bytes[first..<first + count]
  }

  /// Signature, version, the heap's address and the block's offset.
  private var blockHeaderBytes: Int { 5 + file.addressBytes + offsetBytes }

  private mutating func directBlock(
    at offset: Int
  ) throws(HDF5Error) -> (start: Int, bytes: [UInt8]) {
    if let block, block.start <= offset, offset - block.start < block.bytes.count { return block }
    guard var address = root else { throw damaged }
    var (rows, start) = (rootRows, 0)
    var blockBytes = table.startBytes
    // A block has fewer rows than the one above it.
    while rows > 0 {
      let cell = table.cell(of: offset - start)
      guard cell.row < rows,
        let child = try indirectBlock(at: address, rows, start)[
          cell.row * table.width + cell.column]
      else { throw damaged }
      address = child
      start += cell.start
      blockBytes = table.blockBytes(cell.row)
      guard cell.row >= table.directRows else { break }
      rows = table.rows(ofBlockIn: cell.row)
      guard rows > 0 else { throw damaged }
    }
    guard offset - start < blockBytes else { throw damaged }
    try spend(blockBytes)
    var bytes = try file.bytes(at: address, count: blockBytes, operation)
    try checkHeader(bytes[...], Numbers.directSignature, start)
    if isChecked {
      let field = blockHeaderBytes..<blockHeaderBytes + 4
      guard field.upperBound <= bytes.count else { throw damaged }
      var stored = ByteReader(bytes[field])
      bytes.replaceSubrange(field, with: [0, 0, 0, 0])
      guard stored.unsigned(4) == UInt64(MetadataChecksum.sum(bytes[...])) else { throw damaged }
    }
    block = (start, bytes)
    return (start, bytes)
  }

  private func checkHeader(
    _ bytes: ArraySlice<UInt8>, _ signature: String, _ start: Int
  ) throws(HDF5Error) {
    var reader = ByteReader(bytes.dropFirst(4))
    guard bytes.starts(with: signature.utf8), reader.integer(1) == Numbers.version,
      reader.skip(file.addressBytes) != nil, reader.integer(offsetBytes) == start
    else { throw damaged }
  }

  private mutating func indirectBlock(
    at address: UInt64, _ rows: Int, _ start: Int
  ) throws(HDF5Error) -> [UInt64?] {
    if let known = indirectBlocks[address], known.count == rows * table.width { return known }
    let count = rows * table.width
    let byteCount = blockHeaderBytes + count * file.addressBytes + 4
    try spend(byteCount)
    let bytes = try file.bytes(at: address, count: byteCount, operation)
    guard MetadataChecksum.holds(bytes[...]) else { throw damaged }
    try checkHeader(bytes[...], Numbers.indirectSignature, start)
    var reader = ByteReader(bytes[...].dropFirst(blockHeaderBytes))
    var children: [UInt64?] = []
    for _ in 0..<count {
      guard let child = reader.address(file.addressBytes) else { throw damaged }
      children.append(child)
    }
    indirectBlocks[address] = children
    return children
  }
}

/// The sizes of a heap's blocks: rows of equal blocks, doubled from the third row on.
private struct DoublingTable {
  let width: Int
  let startBytes: Int
  /// Rows whose blocks hold objects; blocks of later rows hold rows of blocks.
  let directRows: Int
  let maxRows: Int
  private let firstRowBits: Int

  /// nil if the sizes are no powers of 2 or exceed the heap.
  init?(width: Int, startBytes: Int, maxDirectBytes: Int, sizeBits: Int) {
    guard [width, startBytes, maxDirectBytes].allSatisfy({ $0 > 0 && $0 & ($0 - 1) == 0 }),
      startBytes <= maxDirectBytes, sizeBits < Int.bitWidth - 1
    else { return nil }
    self.width = width
    self.startBytes = startBytes
    firstRowBits = width.trailingZeroBitCount + startBytes.trailingZeroBitCount
    directRows = maxDirectBytes.trailingZeroBitCount - startBytes.trailingZeroBitCount + 2
    maxRows = sizeBits - firstRowBits + 1
    guard firstRowBits <= sizeBits, maxDirectBytes.trailingZeroBitCount <= sizeBits else {
      return nil
    }
  }

  func blockBytes(_ row: Int) -> Int { startBytes << max(0, row - 1) }

  /// The rows of the block that is one of a row's.
  func rows(ofBlockIn row: Int) -> Int { row - width.trailingZeroBitCount }

  /// The block that holds an offset, and where it starts.
  func cell(of offset: Int) -> (row: Int, column: Int, start: Int) {
    let bits = Int.bitWidth - 1 - max(offset, 1).leadingZeroBitCount
    let row = max(0, bits - firstRowBits + 1)
    let rowStart = row == 0 ? 0 : 1 << (firstRowBits + row - 1)
    let column = (offset - rowStart) / blockBytes(row)
    return (row, column, rowStart + column * blockBytes(row))
  }
}
