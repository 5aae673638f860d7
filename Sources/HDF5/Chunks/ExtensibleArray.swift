/// The index of chunks that grow along one axis: an index block, and data blocks that grow with the index.
///
/// The first entries are in the index block. Entries after them are in data blocks, which it lists, and from
/// some size on in super blocks, which list data blocks in pages.
struct ExtensibleArray: ChunkSource {
  private let grid: ChunkGrid
  private let records: ChunkRecords
  private let indexEntries: Int
  private let minBlockEntries: Int
  private let minBlockPointers: Int
  private let pageEntries: Int
  private let superBlockCount: Int
  /// Bytes of the number of a block's first entry, which the block repeats.
  private let offsetBytes: Int
  /// Entries from here on were never written.
  private let end: Int
  private let indexBlock: IndexBlocks.Block?
  private var blocks: IndexBlocks

  init(
    at address: UInt64, _ grid: ChunkGrid, chunkBytes: Int, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) {
    typealias Numbers = HDF5Format.ExtensibleArray
    self.grid = grid
    blocks = IndexBlocks(file, operation)
    let fieldBytes = 8 + 6 * file.lengthBytes + file.addressBytes
    let header = IndexBlocks.Block(
      address: address, byteCount: 4 + fieldBytes + 4, signature: Numbers.signature)
    var reader = try blocks.field(at: 4, fieldBytes, of: header)
    guard reader.integer(1) == Numbers.version,
      let client = reader.integer(1).flatMap(HDF5Format.ArrayClient.init(rawValue:)),
      let entryBytes = reader.integer(1), let indexBits = reader.integer(1),
      let indexEntries = reader.integer(1), let minBlockEntries = reader.integer(1),
      let minBlockPointers = reader.integer(1), let pageBits = reader.integer(1),
      (1...64).contains(indexBits), pageBits < 32,
      minBlockEntries.nonzeroBitCount == 1, minBlockPointers.nonzeroBitCount == 1,
      minBlockPointers > 1,
      // Numbers and bytes of super blocks and of data blocks.
      reader.skip(4 * file.lengthBytes) != nil,
      let end = reader.integer(file.lengthBytes), reader.skip(file.lengthBytes) != nil,
      let indexBlock = reader.address(file.addressBytes),
      let records = ChunkRecords(
        isFiltered: client == .filteredChunks, byteCount: entryBytes, chunkBytes: chunkBytes,
        in: file)
    else { throw blocks.damaged }
    self.records = records
    self.indexEntries = indexEntries
    self.minBlockEntries = minBlockEntries
    self.minBlockPointers = minBlockPointers
    self.end = end
    pageEntries = 1 << pageBits
    offsetBytes = (indexBits + 7) / 8
    superBlockCount = 1 + indexBits - minBlockEntries.trailingZeroBitCount
    let listed = superBlockCount - 2 * minBlockPointers.trailingZeroBitCount
    guard listed >= 0 else { throw blocks.damaged }
    let pointers = 2 * (minBlockPointers - 1) + listed
    self.indexBlock = indexBlock.map { address in
      IndexBlocks.Block(
        address: address,
        byteCount: 6 + file.addressBytes + indexEntries * entryBytes
          + pointers * file.addressBytes + 4,
        signature: Numbers.indexSignature)
    }
  }

  mutating func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry? {
    guard let index = grid.number(of: offset) else { throw blocks.damaged }
    guard let indexBlock, index < end else { return nil }
    let addressBytes = blocks.file.addressBytes
    let prefixBytes = 6 + addressBytes
    guard index >= indexEntries else {
      return try blocks.entry(index, from: prefixBytes, of: indexBlock, records)
    }
    let pointers = prefixBytes + indexEntries * records.byteCount
    let position = index - indexEntries
    // Super block n holds 2^(n/2) data blocks of 2^((n+1)/2) times the least entries.
    let level = Int.bitWidth - 1 - (position / minBlockEntries + 1).leadingZeroBitCount
    guard level < superBlockCount else { throw blocks.damaged }
    let blockEntries = minBlockEntries << ((level + 1) / 2)
    let inLevel = position - minBlockEntries * (1 << level - 1)
    let (number, place) = (inLevel / blockEntries, inLevel % blockEntries)
    let firstSuperBlock = 2 * minBlockPointers.trailingZeroBitCount
    guard level >= firstSuperBlock else {
      let before = 2 * (1 << (level / 2) - 1) + (level % 2) * 1 << (level / 2)
      guard blockEntries <= pageEntries else { throw blocks.damaged }
      let address = try pointer(at: pointers + (before + number) * addressBytes, of: indexBlock)
      return try address.flatMap { address throws(HDF5Error) in
        try entry(place, ofDataBlock: address, entries: blockEntries)
      }
    }
    let listed = 2 * (minBlockPointers - 1) + level - firstSuperBlock
    guard let address = try pointer(at: pointers + listed * addressBytes, of: indexBlock) else {
      return nil
    }
    return try entry(
      place, inBlock: number, of: blockEntries, level: level, ofSuperBlock: address)
  }

  private mutating func entry(
    _ place: Int, inBlock number: Int, of blockEntries: Int, level: Int,
    ofSuperBlock address: UInt64
  ) throws(HDF5Error) -> ChunkEntry? {
    let addressBytes = blocks.file.addressBytes
    let blockCount = 1 << (level / 2)
    let pageCount = blockEntries > pageEntries ? blockEntries / pageEntries : 0
    let prefixBytes = 6 + addressBytes + offsetBytes
    let bitmapBytes = try blocks.product(blockCount, (pageCount + 7) / 8)
    let pointers = prefixBytes + bitmapBytes
    let superBlock = IndexBlocks.Block(
      address: address, byteCount: pointers + blockCount * addressBytes + 4,
      signature: HDF5Format.ExtensibleArray.superSignature)
    guard let block = try pointer(at: pointers + number * addressBytes, of: superBlock) else {
      return nil
    }
    guard pageCount > 0 else { return try entry(place, ofDataBlock: block, entries: blockEntries) }
    let page = place / pageEntries
    guard try blocks.bit(number * pageCount + page, from: prefixBytes, of: superBlock) else {
      return nil
    }
    let start = IndexBlocks.Block(
      address: block, byteCount: prefixBytes + 4,
      signature: HDF5Format.ExtensibleArray.dataSignature)
    _ = try blocks.field(at: 0, 0, of: start)
    let pageBytes = pageEntries * records.byteCount + 4
    let distance = try blocks.product(page, pageBytes) + start.byteCount
    let holder = IndexBlocks.Block(address: try blocks.sum(block, distance), byteCount: pageBytes)
    return try blocks.entry(place % pageEntries, from: 0, of: holder, records)
  }

  private mutating func entry(
    _ place: Int, ofDataBlock address: UInt64, entries: Int
  ) throws(HDF5Error) -> ChunkEntry? {
    let prefixBytes = 6 + blocks.file.addressBytes + offsetBytes
    let block = IndexBlocks.Block(
      address: address,
      byteCount: prefixBytes + (try blocks.product(entries, records.byteCount)) + 4,
      signature: HDF5Format.ExtensibleArray.dataSignature)
    return try blocks.entry(place, from: prefixBytes, of: block, records)
  }

  /// The address of a block; nil if none of its entries was written.
  private mutating func pointer(
    at distance: Int, of block: IndexBlocks.Block
  ) throws(HDF5Error) -> UInt64? {
    var reader = try blocks.field(at: distance, blocks.file.addressBytes, of: block)
    guard let address = reader.address(blocks.file.addressBytes) else { throw blocks.damaged }
    return address
  }
}
