/// A file format of images, known by its first bytes.
package enum ImageFormat: String, Sendable, Hashable, CaseIterable {
  /// Joint Photographic Experts Group: baseline, progressive or arithmetic.
  case jpeg = "JPEG"
  /// Portable Network Graphics.
  case png = "PNG"

  static let jpegSignature: [UInt8] = [0xFF, 0xD8, 0xFF]
  static let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  /// The format that the first bytes announce, or nil for another.
  package init?(of bytes: Span<UInt8>) {
    if bytes.starts(with: Self.jpegSignature) {
      self = .jpeg
    } else if bytes.starts(with: Self.pngSignature) {
      self = .png
    } else {
      return nil
    }
  }
}

extension Span<UInt8> {
  func starts(with magic: [UInt8], at start: Int = 0) -> Bool {
    guard start >= 0, count - start >= magic.count else { return false }
    return magic.indices.allSatisfy { self[start + $0] == magic[$0] }
  }

  /// The bytes from `at` as an unsigned number, or nil past the end.
  func integer(at: Int, byteCount: Int, littleEndian: Bool = false) -> Int? {
    guard at >= 0, at <= count - byteCount else { return nil }
    return (0..<byteCount).reduce(0) { sum, i in
      sum << 8 | Int(self[at + (littleEndian ? byteCount - 1 - i : i)])
    }
  }
}
