internal import Platform

/// A walk over the fields of one protobuf message; the bytes are not trusted.
struct ProtobufReader {
  /// What a field holds.
  enum Value {
    case varint(UInt64)
    /// Little-endian.
    case fixed32(UInt32)
    /// Eight bytes, which nothing here uses.
    case fixed64
    /// Text, bytes, a message or packed numbers.
    case bytes(ProtobufReader)
  }

  /// The lowest bits of a field's key: Protocol Buffers, "Encoding", "Message Structure".
  private enum WireType: UInt64 {
    case varint = 0
    case fixed64 = 1
    case lengthDelimited = 2
    case fixed32 = 5

    static let bits: UInt64 = 3
    static let mask: UInt64 = 0x07
  }

  private let bytes: ArraySlice<UInt8>
  private var position: Int

  /// Starts at the first of the bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// Bytes still to be read.
  var remaining: Int { bytes.endIndex - position }

  /// The next field, or nil at the end of the message; throws where the bytes are no field.
  mutating func next() throws(FileError) -> (number: UInt64, value: Value)? {
    guard remaining > 0 else { return nil }
    let key = try varint()
    let (number, type) = (key >> WireType.bits, key & WireType.mask)
    guard number > 0 else { throw broken("a field number from 1", "0") }
    switch WireType(rawValue: type) {
    case .varint?: return (number, .varint(try varint()))
    case .fixed64?:
      _ = try take(8)
      return (number, .fixed64)
    case .lengthDelimited?:
      let length = try varint()
      return (number, .bytes(ProtobufReader(try take(length))))
    case .fixed32?: return (number, .fixed32(try fixed32()))
    case nil: throw broken("wire type 0, 1, 2 or 5", "\(type)")
    }
  }

  /// The next variable-length number; throws where it does not end within the bytes and 64 bits.
  mutating func varint() throws(FileError) -> UInt64 {
    var result: UInt64 = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      let byte = try take(1).reduce(0) { $0 | UInt64($1) }
      if shift == 63 && byte > 1 { break }
      result |= (byte & 127) << UInt64(shift)
      if byte < 128 { return result }
    }
    throw broken("a number of 64 bits", "a longer one")
  }

  /// The next four bytes as a little-endian number; throws where there are fewer.
  mutating func fixed32() throws(FileError) -> UInt32 {
    try take(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  private mutating func take(_ count: UInt64) throws(FileError) -> ArraySlice<UInt8> {
    guard count <= UInt64(remaining) else {
      throw broken("\(count) more bytes", "\(remaining)")
    }
    let end = position + Int(count)
    defer { position = end }
    return bytes[position..<end]
  }

  /// An error at this position of the file.
  func broken(_ expected: String, _ found: String) -> FileError {
    FileError(
      .wrongData,
      "cannot read face geometry at byte \(position): expected \(expected), found \(found)")
  }
}
