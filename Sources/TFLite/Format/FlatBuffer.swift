/// Untrusted FlatBuffer bytes; every read is checked and little-endian, at any alignment.
struct FlatBuffer: Sendable {
  let bytes: ArraySlice<UInt8>

  var count: Int { bytes.count }

  func check(_ offset: Int, _ length: Int, _ what: String) throws(ModelError) {
    guard offset >= 0, length >= 0, length <= count, offset <= count - length else {
      throw ModelError(
        .corrupt, "\(what) of \(length) bytes lies outside the \(count) bytes of the model",
        byteOffset: offset)
    }
  }

  func integer<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) throws(ModelError) -> T {
    try check(offset, MemoryLayout<T>.size, "a number")
    return bytes.withUnsafeBytes {
      T(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: T.self))
    }
  }

  /// The target of the 32-bit offset at `offset`.
  func target(at offset: Int) throws(ModelError) -> Int {
    let distance = Int(try integer(UInt32.self, at: offset))
    guard distance > 0, distance < count - offset else {
      throw ModelError(
        .corrupt, "an offset of \(distance) leads outside the \(count) bytes of the model",
        byteOffset: offset)
    }
    return offset + distance
  }

  func root() throws(ModelError) -> FlatTable {
    try FlatTable(self, at: target(at: 0))
  }
}

/// One table of a FlatBuffer, its vtable checked.
struct FlatTable: Sendable {
  let buffer: FlatBuffer
  let position: Int
  private let vtable: Int
  private let vtableSize: Int
  private let tableSize: Int

  init(_ buffer: FlatBuffer, at position: Int) throws(ModelError) {
    self.buffer = buffer
    self.position = position
    vtable = position - Int(try buffer.integer(Int32.self, at: position))
    try buffer.check(vtable, 4, "a vtable")
    vtableSize = Int(try buffer.integer(UInt16.self, at: vtable))
    tableSize = Int(try buffer.integer(UInt16.self, at: vtable + 2))
    guard vtableSize >= 4, vtableSize.isMultiple(of: 2), tableSize >= 4 else {
      throw ModelError(
        .corrupt, "a vtable has sizes \(vtableSize) and \(tableSize), expected even and 4 or more",
        byteOffset: vtable)
    }
    try buffer.check(vtable, vtableSize, "a vtable")
    try buffer.check(position, tableSize, "a table")
  }

  private func location(_ field: Int, size: Int) throws(ModelError) -> Int? {
    let slot = 4 + 2 * field
    guard slot + 2 <= vtableSize else { return nil }
    let offset = Int(try buffer.integer(UInt16.self, at: vtable + slot))
    if offset == 0 { return nil }
    guard offset >= 4, offset + size <= tableSize else {
      throw ModelError(
        .corrupt, "field \(field) lies at \(offset) of a table of \(tableSize) bytes",
        byteOffset: vtable + slot)
    }
    return position + offset
  }

  func integer<T: FixedWidthInteger>(_ field: Int, default value: T) throws(ModelError) -> T {
    guard let location = try location(field, size: MemoryLayout<T>.size) else { return value }
    return try buffer.integer(T.self, at: location)
  }

  func float(_ field: Int, default value: Float) throws(ModelError) -> Float {
    Float(bitPattern: try integer(field, default: value.bitPattern))
  }

  func flag(_ field: Int) throws(ModelError) -> Bool {
    try integer(field, default: UInt8(0)) != 0
  }

  func table(_ field: Int) throws(ModelError) -> FlatTable? {
    guard let location = try location(field, size: 4) else { return nil }
    return try FlatTable(buffer, at: buffer.target(at: location))
  }

  /// Start and length of a vector; nil if the field is absent.
  private func vector(_ field: Int, elementSize: Int) throws(ModelError) -> (Int, Int)? {
    guard let location = try location(field, size: 4) else { return nil }
    let start = try buffer.target(at: location)
    let length = Int(try buffer.integer(UInt32.self, at: start))
    try buffer.check(start + 4, length * elementSize, "a vector")
    return (start + 4, length)
  }

  func bytes(_ field: Int) throws(ModelError) -> ArraySlice<UInt8>? {
    guard let (start, length) = try vector(field, elementSize: 1) else { return nil }
    let first = buffer.bytes.startIndex + start
    return buffer.bytes[first..<first + length]
  }

  func integers<T: FixedWidthInteger>(
    _ field: Int, of type: T.Type, maximumCount: Int
  ) throws(ModelError) -> [T]? {
    guard let (start, length) = try vector(field, elementSize: MemoryLayout<T>.size) else {
      return nil
    }
    guard length <= maximumCount else {
      throw ModelError(
        .unsupported, "a vector has \(length) numbers, expected at most \(maximumCount)",
        byteOffset: start - 4)
    }
    var numbers: [T] = []
    numbers.reserveCapacity(length)
    for index in 0..<length {
      numbers.append(try buffer.integer(T.self, at: start + index * MemoryLayout<T>.size))
    }
    return numbers
  }

  func tables(_ field: Int) throws(ModelError) -> [FlatTable] {
    guard let (start, length) = try vector(field, elementSize: 4) else { return [] }
    var tables: [FlatTable] = []
    for index in 0..<length {
      tables.append(try FlatTable(buffer, at: buffer.target(at: start + 4 * index)))
    }
    return tables
  }

  /// A string, cut after 200 bytes; bytes that are not UTF-8 are replaced.
  func string(_ field: Int) throws(ModelError) -> String? {
    try bytes(field).map { String(decoding: $0.prefix(200), as: UTF8.self) }
  }
}
