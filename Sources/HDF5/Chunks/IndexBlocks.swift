/// The checksummed blocks of an index that is an array; small ones are verified and kept.
struct IndexBlocks {
  /// Larger blocks are read by the field, because verifying them takes time in proportion to their size.
  private static let maxVerifiedBytes = 1 << 16
  private static let maxKept = 8

  let file: RawFile
  private let operation: Operation
  let damaged: HDF5Error
  private var kept: [UInt64: [UInt8]] = [:]

  init(_ file: RawFile, _ operation: Operation) {
    self.file = file
    self.operation = operation
    damaged = operation.failure(.corrupt, "its chunk index is damaged")
  }

  /// A block whose last four bytes are its checksum.
  struct Block {
    let address: UInt64
    let byteCount: Int
    /// nil for pages, which have none.
    var signature: String?
  }

  /// A field of a block, by its distance from the block's start.
  mutating func field(
    at distance: Int, _ count: Int, of block: Block
  ) throws(HDF5Error) -> ByteReader {
    guard distance >= 0, count <= block.byteCount - 4 - distance else { throw damaged }
    if block.byteCount > Self.maxVerifiedBytes {
      if let signature = block.signature {
        let start = try file.bytes(at: block.address, count: signature.utf8.count, operation)
        guard start.elementsEqual(signature.utf8) else { throw damaged }
      }
      let address = try sum(block.address, distance)
      return ByteReader(try file.bytes(at: address, count: count, operation)[...])
    }
    let bytes = try verified(block)
    guard bytes.count == block.byteCount else { throw damaged }
    return ByteReader(bytes[distance..<distance + count])
  }

  /// An entry of a block whose entries begin at a distance; nil if it was never written.
  mutating func entry(
    _ place: Int, from start: Int, of block: Block, _ records: ChunkRecords
  ) throws(HDF5Error) -> ChunkEntry? {
    let field = try field(at: start + place * records.byteCount, records.byteCount, of: block)
    guard let entry = records.entry(field.bytes) else { throw damaged }
    return entry
  }

  /// A bit of a map that begins at a distance, the highest of a byte first.
  mutating func bit(
    _ number: Int, from start: Int, of block: Block
  ) throws(HDF5Error) -> Bool {
    var field = try field(at: start + number / 8, 1, of: block)
    guard let bits = field.integer(1) else { throw damaged }
    return bits & 0x80 >> (number % 8) != 0
  }

  private mutating func verified(_ block: Block) throws(HDF5Error) -> [UInt8] {
    if let known = kept[block.address] { return known }
    let bytes = try file.bytes(at: block.address, count: block.byteCount, operation)
    guard MetadataChecksum.holds(bytes[...]), bytes.starts(with: (block.signature ?? "").utf8)
    else { throw damaged }
    if kept.count >= Self.maxKept { kept.removeAll() }
    kept[block.address] = bytes
    return bytes
  }

  /// An address plus a distance; throws `.corrupt` beyond all addresses.
  func sum(_ address: UInt64, _ distance: Int) throws(HDF5Error) -> UInt64 {
    guard let distance = UInt64(exactly: distance) else { throw damaged }
    let (sum, overflow) = address.addingReportingOverflow(distance)
    guard !overflow else { throw damaged }
    return sum
  }

  /// The product of two sizes; throws `.corrupt` beyond any file.
  func product(_ one: Int, _ other: Int) throws(HDF5Error) -> Int {
    let (product, overflow) = one.multipliedReportingOverflow(by: other)
    guard !overflow, (0..<Int.max / 4).contains(product) else { throw damaged }
    return product
  }
}
