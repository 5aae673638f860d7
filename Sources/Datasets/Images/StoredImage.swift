package import Foundation
package import Imaging
package import Platform

/// An image as a dataset stores it.
package enum StoredImage: Sendable {
  /// A JPEG or PNG file; it may share memory with images of the same read.
  case encoded(ArraySlice<UInt8>)
  /// Decoded pixels.
  case pixels(PixelBuffer)

  /// The stored bytes.
  var bytes: ArraySlice<UInt8> {
    switch self {
    case .encoded(let bytes): bytes
    case .pixels(let pixels): pixels.bytes[...]
    }
  }

  /// Number of stored bytes.
  package var byteCount: Int { bytes.count }

  /// The pixels, of a JPEG at a smaller scale whose longer side keeps `minSide`; nil decodes it whole. Throws for a broken file.
  package func decoded(minSide: Int? = nil) throws(ImageError) -> PixelBuffer {
    switch self {
    case .encoded(let bytes): try PixelBuffer(decoding: bytes[...], minSide: minSide)
    case .pixels(let pixels): pixels
    }
  }

  /// Reads an image file of at most 256 MiB; throws if it is missing or not a regular file.
  package init(file: URL) throws(FileError) {
    self = .encoded(try SourceFiles.bytes(of: file, limit: 1 << 28)[...])
  }
}
