package import FaceCore

/// The contents of an image's header, read without decoding pixels.
package struct ImageHeader: Sendable, Hashable {
  /// The file format.
  package var format: ImageFormat
  /// The size of the stored pixels, before any rotation.
  package var size: ImageSize
  /// The Exif orientation of a JPEG, 1 (upright) to 8; decoding ignores it. 1 if none is stored.
  package var orientation: Int
  /// Color channels in the file; 4 in a JPEG means CMYK.
  var channels: Int

  /// The longest side that is read, in pixels.
  package static let maximumSide = 65_500
  /// Maximum pixels that are read: 2^27, half as many in CMYK; no image then takes 512 MB.
  package static let maximumPixels = 1 << 27
  /// Beyond 2^25 pixels an image must have one byte per eight pixels, as photographs do; no small
  /// file then takes 512 MB.
  static let pixelsOfFewBytes = 1 << 25

  /// Reads the header and refuses sizes beyond the limits or too large for the byte count.
  package init(of bytes: Span<UInt8>) throws(ImageError) {
    switch ImageFormat(of: bytes) {
    case .jpeg: self = try JPEGScan(of: bytes).header
    case .png: self = try Self.png(bytes)
    case nil:
      throw ImageError(
        "decode", "image", expected: "the first bytes of a JPEG or PNG",
        found: Self.kind(of: bytes))
    }
  }

  /// The kind of bytes that are neither JPEG nor PNG, for messages.
  private static func kind(of bytes: Span<UInt8>) -> String {
    guard !bytes.isEmpty else { return "no bytes" }
    let known: [(name: String, at: Int, start: [UInt8])] = [
      ("WebP", 8, Array("WEBP".utf8)), ("GIF", 0, Array("GIF8".utf8)),
      ("TIFF", 0, [0x49, 0x49, 0x2A, 0]), ("TIFF", 0, [0x4D, 0x4D, 0, 0x2A]),
      ("AVIF", 4, Array("ftypavif".utf8)), ("HEIC", 4, Array("ftypheic".utf8)),
      ("JPEG 2000", 4, Array("jP  ".utf8)), ("BMP", 0, Array("BM".utf8)),
    ]
    if let found = known.first(where: { bytes.starts(with: $0.start, at: $0.at) }) {
      return "those of \(found.name), which is not read"
    }
    return "0x" + (0..<min(bytes.count, 4)).map { bytes[$0].hexadecimal }.joined()
  }

  /// The largest of 1, 2, 4 and 8 that leaves the longer side of a JPEG `minSide` pixels when it divides it, rounded up.
  ///
  /// 1 for nil, for a longer side that is shorter, and for another format.
  func reduction(keeping minSide: Int?) -> Int {
    guard format == .jpeg, let minSide else { return 1 }
    let longer = max(size.width, size.height)
    // The codec derives the scale from the size, and from 16 pixels on no other scale gives the same one.
    return [8, 4, 2].first { (longer + $0 - 1) / $0 >= max(minSide, 16) } ?? 1
  }

  /// Reads the header and requires the mark that ends a file of the format, within its last 4 KiB.
  package init(ofWhole bytes: Span<UInt8>) throws(ImageError) {
    try self.init(of: bytes)
    let mark = format.end
    let earliest = max(0, bytes.count - 4096)
    guard
      stride(from: bytes.count - mark.count, through: earliest, by: -1)
        .contains(where: { bytes.starts(with: mark, at: $0) })
    else {
      throw ImageError(
        "read", format.rawValue, expected: "the mark that ends the file", found: "none")
    }
  }

  init(
    format: ImageFormat, width: Int, height: Int, channels: Int, orientation: Int,
    byteCount: Int, minimumByteCount: Int
  ) throws(ImageError) {
    let maximumPixels =
      format == .jpeg && channels == 4 ? Self.maximumPixels / 2 : Self.maximumPixels
    guard (1...Self.maximumSide).contains(width), (1...Self.maximumSide).contains(height),
      width * height <= maximumPixels
    else {
      throw ImageError(
        "decode", format.rawValue,
        expected: "sides of 1 to \(Self.maximumSide) and at most \(maximumPixels) pixels",
        found: "\(width)x\(height)")
    }
    let pixels = width * height
    let needed = max(minimumByteCount, pixels > Self.pixelsOfFewBytes ? pixels / 8 : 0)
    guard byteCount >= needed else {
      throw ImageError(
        "decode", format.rawValue,
        expected: "at least \(needed) bytes for \(width)x\(height)",
        found: "\(byteCount)")
    }
    self.format = format
    self.size = ImageSize(width: width, height: height)
    self.channels = channels
    self.orientation = orientation
  }

  private static func png(_ bytes: Span<UInt8>) throws(ImageError) -> ImageHeader {
    let signature = PNGFormat.signature.count
    guard bytes.integer(at: signature, byteCount: 4) == PNGFormat.Header.byteCount,
      bytes.starts(with: PNGFormat.Header.type, at: signature + 4),
      let width = bytes.integer(at: signature + 8, byteCount: 4),
      let height = bytes.integer(at: signature + 12, byteCount: 4),
      let depth = bytes.integer(at: signature + 16, byteCount: 1),
      let colorType = bytes.integer(at: signature + 17, byteCount: 1)
    else {
      throw ImageError("decode", "PNG", expected: "a header chunk", found: "none")
    }
    guard let channels = PNGFormat.ColorType(rawValue: colorType)?.channels,
      depth <= PNGFormat.Header.maxBits
    else {
      throw ImageError(
        "decode", "PNG",
        expected: "a color type of 0, 2, 3, 4 or 6 and at most \(PNGFormat.Header.maxBits) bits",
        found: "type \(colorType), \(depth) bits")
    }
    // Deflate expands a byte to at most 1032. The sides are clamped to avoid an overflow of the product.
    let row = (min(width, 1 << 20) * channels * depth + 7) / 8
    return try ImageHeader(
      format: .png, width: width, height: height, channels: channels, orientation: 1,
      byteCount: bytes.count, minimumByteCount: row * min(height, 1 << 20) / 1032)
  }
}

extension UInt8 {
  var hexadecimal: String {
    let digits = String(self, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
