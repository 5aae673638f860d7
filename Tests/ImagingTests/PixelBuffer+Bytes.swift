import Imaging

extension PixelBuffer {
  static func decoding(_ bytes: [UInt8]) throws -> PixelBuffer {
    try PixelBuffer(decoding: bytes.span)
  }
}
