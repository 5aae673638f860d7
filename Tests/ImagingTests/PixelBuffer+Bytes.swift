import Imaging

extension PixelBuffer {
  static func decoding(_ bytes: [UInt8], minSide: Int? = nil) throws -> PixelBuffer {
    try PixelBuffer(decoding: bytes[...], minSide: minSide)
  }
}
