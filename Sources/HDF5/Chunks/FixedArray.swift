/// The index of a fixed number of chunks: a header and one block of entries, in pages if there are many.
struct FixedArray: ChunkSource {
  private let grid: ChunkGrid
  private let records: ChunkRecords
  private let count: Int
  private let pageEntries: Int
  /// nil if no chunk was written yet.
  private let block: UInt64?
  private var blocks: IndexBlocks

  init(
    at address: UInt64, _ grid: ChunkGrid, chunkBytes: Int, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) {
    typealias Numbers = HDF5Format.FixedArray
    self.grid = grid
    blocks = IndexBlocks(file, operation)
    let fieldBytes = 4 + file.lengthBytes + file.addressBytes
    let header = IndexBlocks.Block(
      address: address, byteCount: 4 + fieldBytes + 4, signature: Numbers.signature)
    var reader = try blocks.field(at: 4, fieldBytes, of: header)
    guard reader.integer(1) == Numbers.version,
      let client = reader.integer(1).flatMap(HDF5Format.ArrayClient.init(rawValue:)),
      let entryBytes = reader.integer(1), let pageBits = reader.integer(1), pageBits < 32,
      let count = reader.integer(file.lengthBytes), let block = reader.address(file.addressBytes),
      let records = ChunkRecords(
        isFiltered: client == .filteredChunks, byteCount: entryBytes, chunkBytes: chunkBytes,
        in: file)
    else { throw blocks.damaged }
    self.records = records
    self.count = count
    self.block = block
    pageEntries = 1 << pageBits
  }

  mutating func entry(at offset: [Int]) throws(HDF5Error) -> ChunkEntry? {
    guard let index = grid.number(of: offset), index < count else { throw blocks.damaged }
    guard let block else { return nil }
    // Signature, version, client, and the header's address.
    let prefixBytes = 6 + blocks.file.addressBytes
    let signature = HDF5Format.FixedArray.blockSignature
    var place = index
    var start = prefixBytes
    var holder: IndexBlocks.Block
    if count <= pageEntries {
      let bytes = try blocks.product(count, records.byteCount)
      holder = .init(address: block, byteCount: prefixBytes + bytes + 4, signature: signature)
    } else {
      let (page, pageCount) = (index / pageEntries, (count - 1) / pageEntries + 1)
      let bitmapBytes = (pageCount + 7) / 8
      holder = .init(address: block, byteCount: prefixBytes + bitmapBytes + 4, signature: signature)
      guard try blocks.bit(page, from: prefixBytes, of: holder) else { return nil }
      let pages = try blocks.product(page, pageEntries * records.byteCount + 4)
      let entries = min(pageEntries, count - page * pageEntries)
      holder = .init(
        address: try blocks.sum(block, holder.byteCount + pages),
        byteCount: entries * records.byteCount + 4)
      (place, start) = (index % pageEntries, 0)
    }
    return try blocks.entry(place, from: start, of: holder, records)
  }
}
