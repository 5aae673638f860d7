/// A value that is kept as few bytes, from which it comes back bit for bit.
package protocol Packable: Hashable {
  /// Writes the value.
  func pack(into row: inout RowWriter)
  /// Reads what `pack(into:)` wrote.
  init(from row: inout RowReader)
}

/// Writes values one after the other.
package struct RowWriter: Sendable {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []

  mutating func append(_ byte: UInt8) { bytes.append(byte) }

  /// Seven bits a byte, lowest first.
  mutating func append(varying value: UInt64) {
    var rest = value
    while rest > 0x7F {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// The low bytes of a value, lowest first.
  mutating func append(_ value: UInt64, bytes count: Int) {
    withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0.prefix(count)) }
  }

  /// Writes values in their order.
  package mutating func write<each Value: Packable>(_ value: repeat each Value) {
    repeat (each value).pack(into: &self)
  }
}

/// Reads values in the order in which they were written.
package struct RowReader: Sendable {
  private let bytes: [UInt8]
  /// Where the next byte is.
  var position: Int

  init(_ bytes: [UInt8], at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  mutating func byte() -> UInt8 {
    position += 1
    return bytes[position - 1]
  }

  mutating func varying() -> UInt64 {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let next = byte()
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  mutating func fixed(_ count: Int) -> UInt64 {
    var value: UInt64 = 0
    for index in 0..<count { value |= UInt64(byte()) << UInt64(8 * index) }
    return value
  }

  /// Reads the next value.
  package mutating func read<Value: Packable>() -> Value { Value(from: &self) }
}

extension Int: Packable {
  package func pack(into row: inout RowWriter) { Int64(self).pack(into: &row) }
  package init(from row: inout RowReader) { self = Int(Int64(from: &row)) }
}

extension Int64: Packable {
  package func pack(into row: inout RowWriter) {
    row.append(varying: UInt64(bitPattern: (self << 1) ^ (self >> 63)))
  }

  package init(from row: inout RowReader) {
    let bits = row.varying()
    self = Int64(bitPattern: bits >> 1) ^ -Int64(bitPattern: bits & 1)
  }
}

extension UInt64: Packable {
  package func pack(into row: inout RowWriter) { row.append(varying: self) }
  package init(from row: inout RowReader) { self = row.varying() }
}

extension Int128: Packable {
  package func pack(into row: inout RowWriter) {
    let bits = UInt128(bitPattern: (self << 1) ^ (self >> 127))
    let (low, high) = (UInt64(truncatingIfNeeded: bits & 0x3FFF_FFFF_FFFF_FFFF), bits >> 62)
    row.append(varying: low << 1 | (high == 0 ? 0 : 1))
    if high != 0 {
      row.append(varying: UInt64(truncatingIfNeeded: high))
      row.append(varying: UInt64(truncatingIfNeeded: bits >> 126))
    }
  }

  package init(from row: inout RowReader) {
    let low = row.varying()
    var bits = UInt128(low >> 1)
    if low & 1 != 0 {
      bits |= UInt128(row.varying()) << 62
      bits |= UInt128(row.varying()) << 126
    }
    self = Int128(bitPattern: bits >> 1) ^ -Int128(bitPattern: bits & 1)
  }
}

extension UInt8: Packable {
  package func pack(into row: inout RowWriter) { row.append(self) }
  package init(from row: inout RowReader) { self = row.byte() }
}

extension Bool: Packable {
  package func pack(into row: inout RowWriter) { row.append(self ? 1 : 0) }
  package init(from row: inout RowReader) { self = row.byte() != 0 }
}

extension Float: Packable {
  package func pack(into row: inout RowWriter) { row.append(UInt64(bitPattern), bytes: 4) }
  package init(from row: inout RowReader) { self.init(bitPattern: UInt32(row.fixed(4))) }
}

/// A whole number up to 239 takes 1 byte, a number that a `Float` holds 5, any other 9.
extension Double: Packable {
  package func pack(into row: inout RowWriter) {
    if self >= 0, self < 240, Double(Int(self)).bitPattern == bitPattern {
      row.append(UInt8(self))
    } else if Double(Float(self)).bitPattern == bitPattern {
      row.append(240)
      row.append(UInt64(Float(self).bitPattern), bytes: 4)
    } else {
      row.append(241)
      row.append(bitPattern, bytes: 8)
    }
  }

  package init(from row: inout RowReader) {
    switch row.byte() {
    case 240: self = Double(Float(bitPattern: UInt32(row.fixed(4))))
    case 241: self.init(bitPattern: row.fixed(8))
    case let whole: self = Double(whole)
    }
  }
}

extension String: Packable {
  package func pack(into row: inout RowWriter) { Array(utf8).pack(into: &row) }
  package init(from row: inout RowReader) {
    self.init(decoding: [UInt8](from: &row), as: UTF8.self)
  }
}

extension Optional: Packable where Wrapped: Packable {
  package func pack(into row: inout RowWriter) {
    row.append(self == nil ? 0 : 1)
    self?.pack(into: &row)
  }

  package init(from row: inout RowReader) {
    self = row.byte() == 0 ? nil : Wrapped(from: &row)
  }
}

extension Array: Packable where Element: Packable {
  package func pack(into row: inout RowWriter) {
    row.append(varying: UInt64(count))
    for element in self { element.pack(into: &row) }
  }

  package init(from row: inout RowReader) {
    let count = Int(row.varying())
    self.init()
    reserveCapacity(count)
    for _ in 0..<count { append(Element(from: &row)) }
  }
}

extension SIMD where Scalar: Packable {
  package func pack(into row: inout RowWriter) {
    for lane in indices { self[lane].pack(into: &row) }
  }

  package init(from row: inout RowReader) {
    self.init()
    for lane in indices { self[lane] = Scalar(from: &row) }
  }
}

extension SIMD2: Packable where Scalar: Packable {}
extension SIMD3: Packable where Scalar: Packable {}
extension SIMD4: Packable where Scalar: Packable {}
extension SIMD16: Packable where Scalar: Packable {}
