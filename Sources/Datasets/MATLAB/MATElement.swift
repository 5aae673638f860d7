internal import Platform

/// One tagged element of a MAT-file: its type and where its bytes are.
///
/// MathWorks, "MAT-File Format", version 5: a tag of 8 bytes, then the data; or 4 bytes, then up to 4 bytes of data.
struct MATElement {
  /// Types of elements by their number in the file.
  enum Kind: UInt32 {
    case int8 = 1
    case uint8, int16, uint16, int32, uint32, single
    case double = 9
    case int64 = 12
    case uint64, matrix, compressed, utf8, utf16, utf32

    /// Bytes of a number or of a unit of text; nil for matrices and compressed elements.
    var byteCount: Int? {
      switch self {
      case .int8, .uint8, .utf8: 1
      case .int16, .uint16, .utf16: 2
      case .int32, .uint32, .single, .utf32: 4
      case .double, .int64, .uint64: 8
      case .matrix, .compressed: nil
      }
    }
  }

  /// Its data type.
  let kind: Kind
  /// Its data, without tag and padding.
  let body: Range<Int>
  /// Where the next element begins.
  let end: Int
}

/// The bytes of a MAT-file or of an inflated part of one, read element by element.
struct MATBytes {
  /// All bytes.
  let bytes: [UInt8]
  /// Whether numbers have their most significant byte first.
  let isBigEndian: Bool
  /// Name of the file, for messages.
  let file: String

  /// An unsigned 32-bit number; the four bytes must be there.
  func word(at position: Int) -> UInt32 {
    let four = (0..<4).map { UInt32(bytes[position + $0]) }
    return (isBigEndian ? four : four.reversed()).reduce(0) { $0 << 8 | $1 }
  }

  /// The element at a position, which must lie inside the range.
  func element(at position: Int, in range: Range<Int>) throws(FileError) -> MATElement {
    guard range.contains(position), range.upperBound - position >= 8 else {
      throw wrong(position, "a tag of 8 bytes", found: "\(max(0, range.upperBound - position))")
    }
    let first = word(at: position)
    let isSmall = first >> 16 != 0
    guard let kind = MATElement.Kind(rawValue: isSmall ? first & 0xFFFF : first) else {
      throw wrong(position, "a data type that MAT version 5 has", found: "\(first)")
    }
    let count = isSmall ? Int(first >> 16) : Int(word(at: position + 4))
    let start = position + (isSmall ? 4 : 8)
    guard !isSmall || (count <= 4 && kind.byteCount != nil) else {
      throw wrong(position, "a short element of at most 4 bytes", found: "\(count)")
    }
    guard count <= range.upperBound - start else {
      throw wrong(position, "at most \(range.upperBound - start) bytes", found: "\(count)")
    }
    let padded = isSmall ? position + 8 : start + (count + 7) / 8 * 8
    let isPadded = kind.byteCount != nil
    return MATElement(
      kind: kind, body: start..<start + count,
      end: isPadded ? min(padded, range.upperBound) : start + count)
  }

  /// The error of something at a byte.
  func wrong(_ position: Int, _ expected: String, found: String) -> FileError {
    FileError(
      .wrongData, "cannot read \(file), byte \(position): expected \(expected), found \(found)")
  }
}
