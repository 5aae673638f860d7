/// Where the messages that object headers share are stored.
struct SharedMessages: Sendable {
  private struct Index {
    let types: Int
    let heap: UInt64
  }

  private let indexes: [Index]

  /// A file without shared messages.
  init() { indexes = [] }

  /// Reads the table that a message in the superblock's extension names.
  init(
    _ message: ArraySlice<UInt8>, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) {
    typealias Numbers = HDF5Format.SharedMessageTable
    let damaged = operation.failure(.corrupt, "its table of shared messages is damaged")
    var reader = ByteReader(message)
    guard reader.integer(1) == Numbers.version, let address = reader.address(file.addressBytes),
      let address, let count = reader.integer(1), Numbers.counts.contains(count)
    else { throw damaged }
    let bytes = try file.bytes(
      at: address, count: 8 + count * (14 + 2 * file.addressBytes), operation)
    guard bytes.starts(with: Numbers.signature.utf8), MetadataChecksum.holds(bytes[...]) else {
      throw damaged
    }
    reader = ByteReader(bytes[...].dropFirst(4))
    var indexes: [Index] = []
    for _ in 0..<count {
      guard reader.skip(2) != nil, let types = reader.integer(2), reader.skip(10) != nil,
        reader.skip(file.addressBytes) != nil, let heap = reader.address(file.addressBytes)
      else { throw damaged }
      // An index without messages has no heap.
      if let heap { indexes.append(Index(types: types, heap: heap)) }
    }
    self.indexes = indexes
  }

  /// The message of a type that an identifier names.
  func body(
    _ identifier: ArraySlice<UInt8>, of type: Int, in file: RawFile, _ operation: Operation
  ) throws(HDF5Error) -> ArraySlice<UInt8> {
    guard let index = indexes.first(where: { $0.types >> type & 1 != 0 }) else {
      throw operation.failure(.corrupt, "its table of shared messages is damaged")
    }
    var heap = try FractalHeap(
      at: index.heap, of: "heap of shared messages", in: file, operation)
    return try heap.object(identifier)
  }
}
