/// Variable-length values by reference, read without libhdf5, which copies beyond its buffers.
struct GlobalHeap {
  let file: RawFile
  let operation: Operation
  /// Budget of bytes: each object is stored once, so all values together cannot exceed the file's size.
  private var budget: Int
  private var collection: (address: UInt64, bytes: [UInt8], objects: [Int: Range<Int>])?

  init(_ file: RawFile, _ operation: Operation) throws(HDF5Error) {
    self.file = file
    self.operation = operation
    budget = try file.size(operation)
  }

  /// Bytes of one reference: length, address, index.
  static func referenceBytes(_ file: RawFile) -> Int { 8 + file.addressBytes }

  /// The text of a reference; empty for a null one.
  mutating func string(_ reference: ArraySlice<UInt8>) throws(HDF5Error) -> String {
    try StoredText.decode(bytes(reference).prefix { $0 != 0 }, operation)
  }

  /// The bytes of a reference to text or bytes; none for a null one.
  mutating func bytes(_ reference: ArraySlice<UInt8>) throws(HDF5Error) -> ArraySlice<UInt8> {
    let damaged = operation.failure(.corrupt, "a reference into its heap is damaged")
    var reader = ByteReader(reference)
    guard let count = reader.integer(4), let address = reader.address(file.addressBytes),
      let index = reader.integer(4)
    else { throw damaged }
    guard let address, address != 0, count > 0 else { return [] }
    if collection?.address != address {
      collection = try read(at: address)
    }
    guard let collection, let object = collection.objects[index], count <= object.count,
      count <= budget
    else { throw damaged }
    budget -= count
    return collection.bytes[object.lowerBound..<object.lowerBound + count]
  }

  private func read(
    at address: UInt64
  ) throws(HDF5Error) -> (address: UInt64, bytes: [UInt8], objects: [Int: Range<Int>]) {
    let damaged = operation.failure(.corrupt, "its string heap is damaged")
    let headerBytes = 8 + file.lengthBytes
    let header = try file.bytes(at: address, count: headerBytes, operation)
    var reader = ByteReader(header[...].dropFirst(4))
    guard header.starts(with: HDF5Format.GlobalHeap.signature.utf8),
      reader.integer(1) == HDF5Format.GlobalHeap.version, reader.skip(3) != nil,
      let size = reader.integer(file.lengthBytes), size >= headerBytes
    else { throw damaged }
    let bytes = try file.bytes(at: address, count: size, operation)
    var objects: [Int: Range<Int>] = [:]
    reader = ByteReader(bytes[...].dropFirst(headerBytes))
    while let index = reader.integer(2), index != HDF5Format.GlobalHeap.freeSpace,
      reader.skip(6) != nil, let count = reader.integer(file.lengthBytes)
    {
      let start = reader.position
      guard reader.skip(count) != nil else { throw damaged }
      objects[index] = start..<start + count
      guard reader.skip(min(-count & 7, reader.remaining)) != nil else { throw damaged }
    }
    return (address, bytes, objects)
  }
}

/// Decodes text of fixed length and its padding.
enum StoredText {
  static func decode(
    _ bytes: ArraySlice<UInt8>, _ operation: Operation
  ) throws(HDF5Error) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw operation.mismatch(expected: "UTF-8 text", found: "other bytes")
    }
    return text
  }

  /// A field of fixed length without its padding, which is NULs or, where `isSpacePadded`, spaces.
  static func decode(
    field: ArraySlice<UInt8>, isSpacePadded: Bool, _ operation: Operation
  ) throws(HDF5Error) -> String {
    guard isSpacePadded else { return try decode(field.prefix { $0 != 0 }, operation) }
    let end = field.lastIndex(where: { $0 != 0x20 }).map { $0 + 1 } ?? field.startIndex
    return try decode(field[..<end], operation)
  }
}
