package import Imaging

/// A picture as a dataset stores it.
package enum StoredPicture: Sendable {
  /// A JPEG or PNG file.
  case encoded([UInt8])
  /// Decoded pixels.
  case pixels(PixelBuffer)

  /// The pixels; throws where the file is broken.
  package func decoded() throws(PictureError) -> PixelBuffer {
    switch self {
    case .encoded(let bytes): try PixelBuffer(decoding: bytes.span)
    case .pixels(let pixels): pixels
    }
  }
}
