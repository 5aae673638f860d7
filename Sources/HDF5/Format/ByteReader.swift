/// Little-endian fields of untrusted bytes; every read past the end is nil.
struct ByteReader {
  let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  var remaining: Int { bytes.endIndex - position }

  mutating func skip(_ count: Int) -> Void? {
    guard count >= 0, count <= remaining else { return nil }
    position += count
    return ()
  }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    let start = position
    guard skip(count) != nil else { return nil }
    return bytes[start..<position]
  }

  /// An unsigned integer of 1 to 8 bytes.
  mutating func unsigned(_ count: Int) -> UInt64? {
    guard (1...8).contains(count), let field = take(count) else { return nil }
    return field.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  mutating func integer(_ count: Int) -> Int? {
    unsigned(count).flatMap { Int(exactly: $0) }
  }

  /// An address; its value is nil if all bits are set, which means "not allocated".
  mutating func address(_ count: Int) -> UInt64?? {
    guard let value = unsigned(count) else { return nil }
    return .some(value == UInt64.max >> (64 - 8 * UInt64(count)) ? nil : value)
  }
}
