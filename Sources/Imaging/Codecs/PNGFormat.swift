/// The numbers of PNG; each group names its section of RFC 2083.
enum PNGFormat {
  /// 3.1, the PNG file signature.
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  /// 4.1.4, the type of the chunk that ends a file.
  static let end = Array("IEND".utf8)

  /// 4.1.1, the image header.
  enum Header {
    static let type = Array("IHDR".utf8)
    static let byteCount = 13
    static let maxBits = 16
  }

  /// 4.1.1, the color types.
  enum ColorType: Int {
    case gray = 0
    case rgb = 2
    case palette = 3
    case grayAlpha = 4
    case rgba = 6

    /// Samples per pixel.
    var channels: Int {
      switch self {
      case .gray, .palette: 1
      case .grayAlpha: 2
      case .rgb: 3
      case .rgba: 4
      }
    }
  }
}
