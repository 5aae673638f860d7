internal import Platform

/// One tagged element of a MAT-file: its type and where its bytes are.
struct MATElement {
  /// Its data type.
  let kind: MATFormat.DataType
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
    typealias Tag = MATFormat.Tag
    guard range.contains(position), range.upperBound - position >= Tag.byteCount else {
      throw wrong(
        position, "a tag of \(Tag.byteCount) bytes",
        found: "\(max(0, range.upperBound - position))")
    }
    let first = word(at: position)
    let smallSize = first >> Tag.smallSizeShift
    let isSmall = smallSize != 0
    let type = isSmall ? first & Tag.smallTypeMask : first
    guard let kind = MATFormat.DataType(rawValue: type) else {
      throw wrong(position, "a data type that MAT version 5 has", found: "\(first)")
    }
    let count = Int(isSmall ? smallSize : word(at: position + 4))
    let start = position + (isSmall ? Tag.smallByteCount : Tag.byteCount)
    guard !isSmall || (count <= Tag.maxSmallBytes && kind.byteCount != nil) else {
      throw wrong(
        position, "a short element of at most \(Tag.maxSmallBytes) bytes", found: "\(count)")
    }
    guard count <= range.upperBound - start else {
      throw wrong(position, "at most \(range.upperBound - start) bytes", found: "\(count)")
    }
    let units = (count + Tag.alignment - 1) / Tag.alignment
    let padded = isSmall ? position + Tag.byteCount : start + units * Tag.alignment
    let isPadded = kind.byteCount != nil
    return MATElement(
      kind: kind, body: start..<start + count,
      end: isPadded ? min(padded, range.upperBound) : start + count)
  }

  /// The error of something at a byte.
  func wrong(_ position: Int, _ expected: String, found: String) -> FileError {
    FileError.wrongData(
      "cannot read \(file), byte \(position): expected \(expected), found \(found)")
  }
}
