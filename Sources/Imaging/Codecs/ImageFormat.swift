/// A file format of images, known by its first bytes.
package enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// Joint Photographic Experts Group: baseline, progressive or arithmetic.
  case jpeg = "JPEG"
  /// Portable Network Graphics.
  case png = "PNG"

  /// The first bytes of a file.
  private var signature: [UInt8] {
    switch self {
    case .jpeg: JPEGFormat.signature
    case .png: PNGFormat.signature
    }
  }

  /// The bytes of the mark that ends a file.
  var end: [UInt8] {
    switch self {
    case .jpeg: JPEGFormat.end
    case .png: PNGFormat.end
    }
  }

  /// The format that the first bytes announce, or nil for another.
  package init?(of bytes: ArraySlice<UInt8>) {
    for format in Self.allCases where bytes.starts(with: format.signature) {
      self = format
      return
    }
    return nil
  }
}

extension ArraySlice<UInt8> {
  /// The byte that is so many after the first.
  func byte(_ offset: Int) -> UInt8 { self[startIndex + offset] }

  func starts(with magic: [UInt8], at start: Int = 0) -> Bool {
    guard start >= 0, count - start >= magic.count else { return false }
    return magic.indices.allSatisfy { byte(start + $0) == magic[$0] }
  }

  /// The bytes from `at` as an unsigned number, or nil past the end.
  func integer(at: Int, byteCount: Int, littleEndian: Bool = false) -> Int? {
    guard at >= 0, at <= count - byteCount else { return nil }
    return (0..<byteCount).reduce(0) { sum, i in
      sum << 8 | Int(byte(at + (littleEndian ? byteCount - 1 - i : i)))
    }
  }
}
