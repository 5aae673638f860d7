package import Foundation
package import Imaging

/// A picture as a dataset stores it.
package enum StoredPicture: Sendable {
  /// A JPEG or PNG file; it may share its memory with the pictures that were read with it.
  case encoded(ArraySlice<UInt8>)
  /// Decoded pixels.
  case pixels(PixelBuffer)

  /// The bytes as they are stored.
  var bytes: ArraySlice<UInt8> {
    switch self {
    case .encoded(let bytes): bytes
    case .pixels(let pixels): pixels.bytes[...]
    }
  }

  /// How many bytes are stored.
  package var byteCount: Int { bytes.count }

  /// The pixels; throws where the file is broken.
  package func decoded() throws(PictureError) -> PixelBuffer {
    switch self {
    case .encoded(let bytes): try PixelBuffer(decoding: bytes.span)
    case .pixels(let pixels): pixels
    }
  }

  /// Reads a picture file of at most 256 MiB; throws where it is no regular file or not there.
  package init(file: URL) throws(DatasetError) {
    self = .encoded(try SourceFiles.bytes(of: file, limit: 1 << 28)[...])
  }
}
